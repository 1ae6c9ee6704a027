package sampling

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bloom"
	"github.com/btcsuite/btcd/wire"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// As package remap/sampling/bloom, which tests here cannot import.
func init() {
	BloomHash = func(seed, link uint32) uint32 {
		var data [4]byte
		binary.LittleEndian.PutUint32(data[:], link)
		return bloom.MurmurHash3(seed, data[:])
	}
}

// Filters of whole bytes are those of btcutil/bloom bit for bit, and it says the
// same of every link.
func TestBloomIsBtcutil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, id := 8*rapid.IntRange(1, MaxBits/8).Draw(t, "bytes"), rapid.Uint32().Draw(t, "id")
		links := rapid.SliceOfN(rapid.Int32Range(0, MaxLinks), 0, 60).Draw(t, "links")
		first := rapid.Int32Range(0, MaxLinks).Draw(t, "first")
		b, filter := NewBloomFilter(size), make([]uint64, (size+63)/64)
		other := bloom.LoadFilter(wire.NewMsgFilterLoad(make([]byte, size/8), uint32(b.Hashes()), id,
			wire.BloomUpdateNone))
		for _, link := range links {
			b.Add(filter, id, link)
			other.Add(binary.LittleEndian.AppendUint32(nil, uint32(link)))
		}
		for i, want := range other.MsgFilterLoad().Filter {
			if got := byte(filter[i/8] >> (i % 8 * 8)); got != want {
				t.Fatalf("byte %d is %#x, want %#x", i, got, want)
			}
		}
		for link := first; link < first+64; link++ {
			if want := other.Matches(binary.LittleEndian.AppendUint32(nil, uint32(link))); b.Has(filter, id,
				link) != want {
				t.Fatalf("link %d of %d: want %v", link, size, want)
			}
		}
	})
}

// Filters of any size: positions are the hash modulo the size, no link that was
// put in is missed, and 64 links at a time give what one at a time does.
func TestBloomAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, id := rapid.IntRange(1, MaxBits).Draw(t, "bits"), rapid.Uint32().Draw(t, "id")
		links := rapid.SliceOfN(rapid.Int32Range(0, 400), 0, 60).Draw(t, "links")
		first, among := rapid.Int32Range(0, 400).Draw(t, "first"), rapid.Uint64().Draw(t, "among")
		b, filter, want := NewBloomFilter(size), make([]uint64, (size+63)/64), make([]uint64, (size+63)/64)
		for _, link := range links {
			b.Add(filter, id, link)
			for i := range b.Hashes() {
				at := bloom.MurmurHash3(uint32(i)*0xfba4c795+id,
					binary.LittleEndian.AppendUint32(nil, uint32(link))) % uint32(size)
				want[at/64] |= 1 << (at % 64)
			}
		}
		if !slices.Equal(filter, want) {
			t.Fatalf("filter %x, want %x", filter, want)
		}
		found := b.Match(filter, id, first, among)
		for i := range int32(64) {
			if got := found>>i&1 == 1; got != (among>>i&1 == 1 && b.Has(filter, id, first+i)) {
				t.Fatalf("link %d of 64 gives %v", i, got)
			}
			if slices.Contains(links, first+i) && !b.Has(filter, id, first+i) {
				t.Fatalf("link %d is missed", first+i)
			}
		}
	})
}

// The number of hash functions is what NewFilter of btcutil/bloom takes for as
// many bits and links.
func TestBloomHashes(t *testing.T) {
	for size := 8; size <= MaxBits; size += 8 {
		// NewFilter takes a rate in place of a size: the one that gives half a byte more.
		rate := math.Exp(-(float64(size) + 4) * math.Ln2 * math.Ln2 / bloomLinks)
		other := bloom.NewFilter(bloomLinks, 0, rate, wire.BloomUpdateNone).MsgFilterLoad()
		if rate < 1e-9 { // it takes no lower one
			break
		}
		if len(other.Filter)*8 != size {
			t.Fatalf("%d bits in place of %d", len(other.Filter)*8, size)
		}
		if got := NewBloomFilter(size).Hashes(); got != int(other.HashFuncs) {
			t.Errorf("%d bits: %d hash functions, want %d", size, got, other.HashFuncs)
		}
	}
	if got := NewBloomFilter(MaxBits).Hashes(); got != 50 {
		t.Errorf("%d hash functions at most, want 50", got)
	}
}

// A hash of m bits is a Bloom filter of 2^m bits with one hash function and one
// link; for m = 1 receivers count as with one-bit hashes: +1 or -1 for one hop.
func TestBloomOfOneLinkIsHash(t *testing.T) {
	for m := range 3 { // with more, filters have several hash functions
		b := NewBloomFilter(1 << m)
		for id := range uint32(500) {
			filter := []uint64{0}
			b.Add(filter, id, 0)
			data := make([]byte, 4)
			hash := bloom.MurmurHash3(id, data) % (1 << m)
			if filter[0] != 1<<hash {
				t.Fatalf("filter %b of hash %d", filter[0], hash)
			}
			binary.LittleEndian.PutUint32(data, 7)
			if same := bloom.MurmurHash3(id, data)%(1<<m) == hash; b.Has(filter, id, 7) != same {
				t.Fatalf("%d bits, id %d: has link 7 is not %v", m, id, same)
			}
			if in, out := b.Terms(filter, 1); m == 1 && (in != 1 || out != -1) {
				t.Fatalf("terms %g and %g", in, out)
			}
		}
	}
}

// The distribution of set bits has the mean of the closed form, and the chance of
// a full filter is that of inclusion and exclusion.
func TestOccupancy(t *testing.T) {
	for _, size := range []int{1, 2, 8, 61, 300} {
		o := newOccupancy(size)
		for positions := 1; positions < 40; positions++ {
			o.set(1)
			mean, sum := 0., 0.
			for j, p := range o.chance {
				mean, sum = mean+p*float64(j), sum+p
			}
			want := float64(size) * -math.Expm1(float64(positions)*math.Log1p(-1/float64(size)))
			if math.Abs(mean/want-1) > 1e-12 || math.Abs(sum-1) > 1e-12 {
				t.Errorf("%d positions of %d: %g set, want %g; sum %g", positions, size, mean, want, sum)
			}
			if size > 8 {
				continue
			}
			open, choose := 0., 1.
			for j := 1; j <= size; j++ {
				choose *= -float64(size-j+1) / float64(j)
				open -= choose * math.Pow(1-float64(j)/float64(size), float64(positions))
			}
			if math.Abs(o.notFull()-open) > 1e-12 {
				t.Errorf("%d positions of %d: not full with %g, want %g", positions, size, o.notFull(), open)
			}
		}
	}
}

// No chance is lost where little is left and where there are many bits.
func TestBloomWeights(t *testing.T) {
	for _, size := range []int{1, 8, 64, 100, MaxBits} {
		k := int(bloomHashes(size))
		weights := bloomWeights(size, k)
		for links, w := range weights {
			switch {
			case links*k < size && w != 1:
				t.Errorf("%d bits, %d links: weight %g of a filter that cannot be full", size, links, w)
			case w != 0 && (w < 1 || w > 256) || links > 0 && w < weights[links-1] && w != 0:
				t.Errorf("%d bits, %d links: weight %g after %g", size, links, w, weights[max(1, links)-1])
			}
		}
	}
	// 8 bits, one hash function, 10 links: 1/P(not full).
	full := 0.
	for j, choose := range []float64{1, -8, 28, -56, 70, -56, 28, -8} {
		full += choose * math.Pow(1-float64(j)/8, 10)
	}
	if got, want := bloomWeights(8, 1)[10], 1/(1-full); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("weight %g, want %g", got, want)
	}
}

// Whatever a packet holds, tables stay finite, and full filters add nothing.
func TestBloomTermsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 130).Draw(t, "bits")
		b, filter := NewBloomFilter(size), make([]uint64, (size+63)/64)
		set := rapid.IntRange(0, size).Draw(t, "set")
		for i := range set {
			filter[i/64] |= 1 << (i % 64)
		}
		in, out := b.Terms(filter, rapid.Uint8().Draw(t, "count"))
		p := math.Pow(float64(set)/float64(size), float64(b.Hashes()))
		if set == size && (in != 0 || out != 0) || in < 0 || in > 256 || math.IsNaN(out) || math.IsInf(out, 0) {
			t.Fatalf("%d of %d bits set: terms %g and %g", set, size, in, out)
		}
		if math.Abs(p*in+(1-p)*out) > 1e-9*in {
			t.Fatalf("a link that is not in counts %g", p*in+(1-p)*out)
		}
	})
}

func TestBloomHeaderBits(t *testing.T) {
	for text, want := range map[string]int{"bloom:8": 32, "bloom:64": 144, "bloom:61," +
		"counter=3": 128, "bloom:1024,counter=1": 2050} {
		v, err := ParseVariant(text)
		if err != nil || v.HeaderBits(24) != want {
			t.Errorf("%s: %d bits, want %d; %v", text, v.HeaderBits(24), want, err)
		}
	}
}

// bloomTraffic lets packets cross `length` of the candidate links, every third
// one, the first `congested` of them congested.
type bloomTraffic struct{ size, length, congested, candidates, packets int }

func (b bloomTraffic) String() string {
	return fmt.Sprintf("%d bits, %d of %d links, %d congested", b.size, b.length, b.candidates, b.congested)
}

func (b bloomTraffic) variant() Variant { return Variant{Kind: Bloom, Bits: b.size, Counter: 8} }

func (b bloomTraffic) paths(int32, int32) []Range {
	half := int32(b.candidates / 2) // no multiple of 64
	return []Range{{0, half}, {half, int32(b.candidates) - half}}
}

// cross makes a packet.
func (b bloomTraffic) cross(device *Switch, p *Packet, id uint32) {
	p.ID = id
	p.Reset(b.variant())
	for i := range b.length {
		device.Cross(&p.Header, id, int32(i*3), i < b.congested)
	}
}

// z is how many standard errors the mean of values is from 0; what all values
// are but for rounding is exact.
func z(values []float64) float64 {
	mean, deviation := stat.MeanStdDev(values, nil)
	if math.Abs(mean) < 1e-6 && deviation < 1e-6 {
		return 0
	}
	return mean / (deviation / math.Sqrt(float64(len(values))))
}

// Counts are without bias for links crossed and congested, crossed only, and not
// crossed, and so are the columns of variances and covariance: the squares of
// errors less the column have the mean 0. Five standard errors are a level of
// 6e-7 a figure, of 1e-4 in all.
func TestBloomMoments(t *testing.T) {
	const runs = 2000
	cases := []bloomTraffic{{8, 1, 1, 20, 30}, {8, 5, 2, 40, 30}, {8, 12, 3, 40, 40}, {8, 40, 10, 130, 60},
		{61, 11, 6, 70, 20}, {64, 5, 5, 70, 30}, {64, 40, 10, 130, 20}}
	if tier.IsLong() {
		cases = append(cases, bloomTraffic{8, 40, 40, 130, 60}, bloomTraffic{64, 5, 0, 70, 30},
			bloomTraffic{64, 40, 35, 130, 30}, bloomTraffic{256, 40, 20, 130, 10})
	}
	for _, b := range cases {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			b.moments(t, runs)
		})
	}
}

func (b bloomTraffic) moments(t *testing.T, runs int) {
	for _, links := range []int{b.length, b.congested} {
		if found := falsePositiveRates(b.size, links,
			int(bloomHashes(b.size))).Bloom * float64(runs*b.packets); links > 0 && found < 100 {
			t.Fatalf("about %g false positives are too few for a test", found)
		}
	}
	random := NewRandom(uint64(b.size*1000 + b.length))
	device, receiver := NewSwitch(b.variant(), b.candidates, &random),
		NewReceiver(b.variant(), b.candidates, b.paths, 1)
	links := []int32{0, int32(b.congested) * 3, int32(b.length)*3 - 3, 1, 2, int32(b.candidates) - 1}
	var errors [6][5][]float64
	var variances [6][]float64
	var p Packet
	table := NewTable(b.variant(), b.candidates)
	for range runs {
		table.Reset()
		id := random.Uint32() &^ 63
		for i := range b.packets {
			b.cross(device, &p, id+uint32(i))
			receiver.Receive(table, &p)
		}
		for i, link := range links {
			n, m := b.truth(link)
			e := &table.Links[link]
			w, c := e.Packets-n, e.Congested-m
			for k, value := range []float64{w, c, w*w - e.PacketsVariance, c*c - e.CongestedVariance,
				w*c - e.Covariance} {
				errors[i][k] = append(errors[i][k], value)
			}
			variances[i] = append(variances[i], e.PacketsVariance)
		}
	}
	for i, link := range links {
		for k, name := range []string{"packets", "congested " +
			"packets", "variance", "congested variance", "covariance"} {
			if deviates := z(errors[i][k]); !(math.Abs(deviates) < 5) {
				t.Errorf("link %d: %s off by %g standard errors", link, name, deviates)
			}
		}
		n, _ := b.truth(link)
		off, theory := slices.Clone(variances[i]), float64(b.packets)*b.variance(n > 0)
		for run := range off {
			off[run] -= theory
		}
		if deviates := z(off); !(math.Abs(deviates) < 5) {
			t.Errorf("link %d: variance %g, theory %g", link, stat.Mean(variances[i], nil), theory)
		}
	}
}

// truth are the packets that crossed a link and those that found it congested.
func (b bloomTraffic) truth(link int32) (n, m float64) {
	if link%3 != 0 || int(link) >= 3*b.length {
		return 0, 0
	}
	if int(link) < 3*b.congested {
		return float64(b.packets), float64(b.packets)
	}
	return float64(b.packets), 0
}

// variance is that of one packet's term: P(full)/P(not full) of a link crossed, and
// E[p/(1-p); not full] / P(not full)^2 of another, by the distribution of set bits.
func (b bloomTraffic) variance(crossed bool) float64 {
	k := int(bloomHashes(b.size))
	o := newOccupancy(b.size)
	o.set(k * b.length)
	open := o.notFull()
	if crossed {
		return (1 - open) / open
	}
	sum := 0.
	for set, chance := range o.chance[:b.size] {
		p := math.Pow(float64(set)/float64(b.size), float64(k))
		sum += chance * p / (1 - p)
	}
	return sum / (open * open)
}

// Packets of which hardly any filter stays open add nothing and are counted.
func TestBloomFull(t *testing.T) {
	b := bloomTraffic{8, 200, 1, 700, 50}
	random := NewRandom(1)
	device, receiver := NewSwitch(b.variant(), b.candidates, &random),
		NewReceiver(b.variant(), b.candidates, b.paths, 1)
	table := NewTable(b.variant(), b.candidates)
	var p Packet
	for id := range uint32(b.packets) {
		b.cross(device, &p, id)
		receiver.Receive(table, &p)
	}
	if table.Received.Full != int64(b.packets) || table.Received.Hops != int64(b.packets*b.length) {
		t.Errorf("received %+v", table.Received)
	}
	// The other filter still says which link was congested.
	for link, e := range table.Links {
		if e.Packets != 0 || e.PacketsVariance != 0 || link == 0 && e.Congested != float64(b.packets) ||
			link > 0 && e.Congested > float64(b.packets)/2 {
			t.Errorf("link %d: %+v", link, e)
		}
	}
	table.Reset()
	b.congested = 200
	b.cross(device, &p, 9)
	receiver.Receive(table, &p)
	if i := slices.IndexFunc(table.Links, func(e Entry) bool { return e != (Entry{}) }); i >= 0 {
		t.Errorf("link %d: %+v of full filters", i, table.Links[i])
	}
}

// What MurmurHash3 gives is the exact rate within five standard errors, whose
// squares are p(1-p)/tests and the variance of p over filters.
func TestFalsePositiveRates(t *testing.T) {
	t.Parallel()
	for _, size := range []int{8, 16, 24, 61, 64, 128} {
		for _, elements := range []int{1, 2, 5, 11, 40} {
			r := FalsePositiveRates(size, elements)
			o := newOccupancy(size)
			o.set(elements * r.Hashes)
			spread := o.falsePositive(2*r.Hashes) - r.Bloom*r.Bloom
			deviation := math.Sqrt(r.Bloom*(1-r.Bloom)/(trialFilters*trialLinks) + max(0, spread)/trialFilters)
			if math.Abs(r.Measured-r.Bloom) > 5*deviation+1e-12 {
				t.Errorf("%d bits, %d elements: measured %g, exact %g "+
					"+- %g", size, elements, r.Measured, r.Bloom, deviation)
			}
			t.Logf("%4d bits %2d elements: %+v", size, elements, r)
		}
	}
}

// For one element a filter is never better than the hash of its size, by the
// thesis's approximation and exactly; the approximation is least for bits x ln 2
// hash functions, and never above the exact rate (Bose et al. 2008).
func TestBloomNotBetterThanHash(t *testing.T) {
	for size := 1; size <= 64; size++ {
		for hashes := 1; hashes <= 60; hashes++ {
			r := falsePositiveRates(size, 1, hashes)
			if math.Abs(r.Hash*math.Exp2(float64(size))-1) > 1e-12 {
				t.Fatalf("a hash of %d bits fails with %g", size, r.Hash)
			}
			least := math.Exp2(-float64(size) * math.Ln2)
			if r.Bloom < r.Hash*(1-1e-12) || r.Thesis < least*(1-1e-12) || least < r.Hash {
				t.Errorf("%d bits, %d hash functions: %+v, least %g", size, hashes, r, least)
			}
			for _, elements := range []int{1, 5, 40} {
				if r := falsePositiveRates(size, elements, hashes); r.Thesis > r.Bloom*(1+1e-9) {
					t.Errorf("%d bits, %d elements, %d hash functions: approximation %g "+
						"above %g", size, elements, hashes, r.Thesis, r.Bloom)
				}
			}
		}
	}
}
