package sampling_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"remap/sampling"

	"remap/internal/testkit/tier"
)

// crossing is one hop of a packet.
type crossing struct {
	link      int32
	congested bool
}

// traffic is what packets meet: fixed, while their identities and the switches'
// chance differ from run to run.
type traffic struct {
	links int
	ways  [][]crossing // by packet
	n, m  []int        // by link: packets, those that found it congested
}

// fixedTraffic is packets between two hosts over links of any share: most on
// five hops, a sixth on two. Link 16 is never crossed.
func fixedTraffic(packets int) *traffic {
	t := &traffic{links: 17, n: make([]int, 17), m: make([]int, 17)}
	random := rand.New(rand.NewPCG(1, 1))
	hop := func(first int32, shares, congested []float64) crossing {
		x, i := random.Float64(), 0
		for ; i < len(shares)-1 && x >= shares[i]; i++ {
			x -= shares[i]
		}
		return crossing{first + int32(i), random.Float64() < congested[i]}
	}
	for i := range packets {
		way := []crossing{hop(0, []float64{1}, []float64{0.3})}
		if i%6 > 0 {
			way = append(way,
				hop(1, []float64{0.5, 0.5}, []float64{1, 0.1}),
				hop(3, []float64{0.4, 0.3, 0.2, 0.07, 0.03}, []float64{0.05, 0.5, 1, 0.3, 0.6}),
				hop(8, []float64{0.3, 0.2, 0.1, 0.1, 0.2, 0.05, 0.05}, []float64{1, 0, 0.02, 0.9, 0.2, 1, 0.5}))
		}
		t.ways = append(t.ways, append(way, crossing{15, random.Float64() < 0.8}))
	}
	for _, way := range t.ways {
		for _, c := range way {
			t.n[c.link]++
			if c.congested {
				t.m[c.link]++
			}
		}
	}
	return t
}

// run is a table of one run.
func (t *traffic) run(v sampling.Variant, seed uint64) *sampling.Table {
	random := sampling.NewRandom(seed)
	device := sampling.NewSwitch(v, t.links, &random)
	all := []sampling.Range{{First: 0, Count: int32(t.links)}}
	receiver := sampling.NewReceiver(v, t.links, func(_, _ int32) []sampling.Range { return all }, 1)
	table := sampling.NewTable(v, t.links)
	var p sampling.Packet
	for _, way := range t.ways {
		p.Reset(v)
		p.ID = random.Uint32()
		for _, c := range way {
			device.Cross(&p.Header, p.ID, c.link, c.congested)
		}
		receiver.Receive(table, &p)
	}
	receiver.Flush()
	return table
}

// parse is a variant by its name.
func parse(t interface {
	Helper()
	Fatal(...any)
}, name string) sampling.Variant {
	t.Helper()
	v, err := sampling.ParseVariant(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Coverage of 95 % intervals over runs in which switches' chance and packets'
// identities differ, for every link of a network where paths have two lengths
// and links any share of the packets. Standard error 0.5 %.
func TestCoverageOfNoise(t *testing.T) {
	tier.Long(t, "coverage under every hash: a second")
	t.Parallel()
	const runs = 2000
	packets := map[string][]int{"one-reservoir": {300}, "full": {300}}
	if long() {
		packets = map[string][]int{"one-bit": {60, 300}, "one-reservoir": {1000}, "bloom:16": {300},
			"bloom:64": {300},
			"full":     {60, 300}, "n=2": {60}, "one-reservoir,hash=whole": {300}, "one-reservoir,counter=3": {60}}
	}
	t.Log("| sampling | packets | link | its N | its M | N covered | M covered | F covered | F known in |\n" +
		"|---|---|---|---|---|---|---|---|---|")
	for _, name := range slices.Sorted(maps.Keys(packets)) {
		for _, q := range packets[name] {
			coverageOfNoise(t, parse(t, name), q, runs)
		}
	}
}

func coverageOfNoise(t *testing.T, v sampling.Variant, q, runs int) {
	t.Helper()
	some := fixedTraffic(q)
	type sums struct{ packets, congested, fraction, known, noise float64 }
	links := make([]sums, some.links)
	for run := range runs {
		table := some.run(v, uint64(run)+77)
		for l := range links {
			n, m, s, e := float64(some.n[l]), float64(some.m[l]), &links[l], &table.Links[l]
			s.packets += covers(table.PacketsEstimate(int32(l)), n) / float64(runs)
			s.congested += covers(table.CongestedEstimate(int32(l)), m) / float64(runs)
			f := table.Fraction(int32(l))
			s.fraction += covers(f, m/n) / float64(runs)
			if f.High-f.Low < 1 {
				s.known += 1 / float64(runs)
			}
			s.noise += min(e.PacketsVariance, e.CongestedVariance) / float64(runs)
		}
	}
	for l, s := range links {
		n, m := some.n[l], some.m[l]
		what := fmt.Sprintf("%v, %d packets, link %d with N = %d, M = %d", v, q, l, n, m)
		t.Logf("| %v | %d | %d | %d | %d | %.3f | %.3f | %.3f | %.2f |", v, q, l, n, m, s.packets, s.congested,
			s.fraction, s.known)
		sum := v.Hashed() || v.Kind == sampling.Bloom && s.noise > 10
		within(t, what+": N", s.packets, sum || v.Kind != sampling.Bloom && n >= 100)
		within(t, what+": M", s.congested, sum)
		if n > 0 {
			within(t, what+": F", s.fraction, sum && s.known > 0.999)
		}
	}
}

// within checks a coverage. Where few events make it, it is only checked from
// below, and the jumps of discrete counts take it lower: F of a link with four
// packets under n = 2 is covered to 83 %.
func within(t *testing.T, what string, coverage float64, many bool) {
	t.Helper()
	if many && (coverage < 0.93 || coverage > 0.97) || coverage < 0.82 {
		t.Errorf("%s: 95 %% intervals cover %.3f", what, coverage)
	}
}

// twoLinks is packets over links 0 to 4, of which the share f finds the first two
// congested.
func twoLinks(packets int, f float64) *traffic {
	t := &traffic{links: 5}
	for i := range packets {
		bad := int(float64(i+1)*f) > int(float64(i)*f)
		t.ways = append(t.ways, []crossing{{0, bad}, {1, bad}, {2, false}, {3, false}, {4, false}})
	}
	return t
}
