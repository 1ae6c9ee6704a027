package sampling_test

import (
	"fmt"
	"math"
	"testing"

	"remap/sampling"
)

func variant(t testing.TB, text string) sampling.Variant {
	t.Helper()
	v, err := sampling.ParseVariant(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// branches is a Chooser that goes through all possible draws, one after the other.
type branches struct {
	taken, of []uint32
	at        int
}

func (b *branches) Below(n uint32) uint32 {
	if b.at == len(b.taken) {
		b.taken, b.of = append(b.taken, 0), append(b.of, n)
	}
	b.at++
	return b.taken[b.at-1]
}

// all runs what draws with every possible outcome, and its probability.
func all(draws func(c sampling.Chooser), with func(probability float64)) {
	b := &branches{}
	for {
		b.at = 0
		draws(b)
		probability := 1.
		for _, n := range b.of {
			probability /= float64(n)
		}
		with(probability)
		for len(b.taken) > 0 && b.taken[len(b.taken)-1]+1 == b.of[len(b.of)-1] {
			b.taken, b.of = b.taken[:len(b.taken)-1], b.of[:len(b.of)-1]
		}
		if len(b.taken) == 0 {
			return
		}
		b.taken[len(b.taken)-1]++
	}
}

// route is the way of a packet: over links in this order, those congested whose
// bit, by place, is set.
type route struct {
	links     []int32
	congested uint
}

func (r route) found() int {
	g := 0
	for i := range r.links {
		g += int(r.congested >> i & 1)
	}
	return g
}

// travel is one packet on its route.
func travel(v sampling.Variant, device *sampling.Switch, p *sampling.Packet, r route,
	sender sampling.Chooser) {
	p.Send(v, sender)
	for i, link := range r.links {
		device.Cross(&p.Header, p.ID, link, r.congested>>i&1 == 1)
	}
}

// independent are links whose hashes' values for identities 0..2^count-1 are all
// 2^count combinations once, as ideal hashes' would be on average.
func independent(v sampling.Variant, count int) []int32 {
	links := make([]int32, 0, count)
	if !v.Hashed() {
		for i := range count {
			links = append(links, int32(i))
		}
		return links
	}
	h := sampling.NewHasher(v.Hash, 400)
	for link := int32(0); len(links) < count; link++ {
		seen := map[uint32]int{}
		for id := range uint32(1) << count {
			value := h.Bit(id, link)
			for _, other := range links {
				value = value<<1 | h.Bit(id, other)
			}
			seen[value]++
		}
		if len(seen) == 2<<len(links) {
			links = append(links, link)
		}
	}
	return links
}

// moments are of what one packet adds for a link: exact, from all draws and all
// identities, beside the means of the variances it adds.
type moments struct {
	w, c, ww, cc, wc   float64
	varW, varC, common float64
}

func (m *moments) add(p float64, e *sampling.Entry) {
	m.w += p * e.Packets
	m.c += p * e.Congested
	m.ww += p * e.Packets * e.Packets
	m.cc += p * e.Congested * e.Congested
	m.wc += p * e.Packets * e.Congested
	m.varW += p * e.PacketsVariance
	m.varC += p * e.CongestedVariance
	m.common += p * e.Covariance
}

// exactMoments are of all candidate links of a packet on a route.
func exactMoments(v sampling.Variant, links []int32, r route, positions sampling.Positions) []moments {
	const numbers = 400
	ranges := make([]sampling.Range, len(links))
	for i, link := range links {
		ranges[i] = sampling.Range{First: link, Count: 1}
	}
	receiver := sampling.NewReceiver(v, numbers, func(_, _ int32) []sampling.Range { return ranges }, 0)
	receiver.Correct(positions)
	table, result := sampling.NewTable(v, numbers), make([]moments, len(links))
	ids := uint32(1)
	if v.Hashed() {
		ids = 1 << len(links)
	}
	source := &relay{}
	device := sampling.NewSwitch(v, numbers, source)
	var p sampling.Packet
	for p.ID = range ids {
		all(func(c sampling.Chooser) {
			source.Chooser = c
			travel(v, device, &p, r, c)
		}, func(probability float64) {
			receiver.Receive(table, &p)
			receiver.Flush()
			for i, link := range links {
				result[i].add(probability/float64(ids), &table.Links[link])
				table.Links[link] = sampling.Entry{}
			}
		})
	}
	return result
}

// relay lets one switch draw from changing sources.
type relay struct{ sampling.Chooser }

// formulas are the moments that docs/sampling.md states, of a link at `place`,
// from 1, on a route, 0 = not on it.
func formulas(v sampling.Variant, r route, place int) (w, c, varW, varC, covariance float64) {
	l, g := float64(len(r.links)), float64(r.found())
	if place > 0 {
		w, c = 1, float64(r.congested>>(place-1)&1)
	}
	n := float64(v.Slots)
	switch {
	case v.Kind == sampling.Full && g > 0:
		return w, c, w * (l/min(n, l) - 1), c * (g/min(n, g) - 1), 0
	case v.Kind == sampling.Full:
		return w, c, w * (l/min(n, l) - 1), 0, 0
	case v.Kind == sampling.OneReservoir && !v.Hashed():
		return w, c, w * (l - 1), c * (l - 1), c * (l - 1)
	case v.Kind == sampling.OneReservoir:
		return w, c, l*l - w, l*g - c, l*g - c
	}
	return w, c, l*l - w, g*g - c, g - c
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// What a receiver adds for a packet, over all draws of the switches and all
// identities, has exactly the mean, variances and covariance that the formulas
// say, and the estimates of these are without bias; for every link that the
// packet crossed, congested or not, and for one that it might have crossed.
func TestExactMoments(t *testing.T) {
	for _, text := range []string{"full", "full,counter=3", "n=2", "n=3,counter=2", "one-bit", "one-reservoir",
		"one-reservoir,counter=3", "one-reservoir,hash=whole", "full,drawn=3", "one-bit," +
			"drawn=3", "one-reservoir,drawn=4"} {
		v := variant(t, text)
		links := independent(v, 5)
		for length := 1; length <= 4; length++ {
			for congested := range uint(1) << length {
				if length > int(v.Limit()) {
					continue
				}
				r := route{links[:length], congested}
				for i, m := range exactMoments(v, links, r, nil) {
					place := 0
					if i < length {
						place = i + 1
					} else if !v.Hashed() && m != (moments{}) {
						t.Errorf("%s: something for a link not crossed: %+v", text, m)
					}
					w, c, varW, varC, covariance := formulas(v, r, place)
					if !v.Hashed() && place == 0 {
						continue
					}
					if !near(m.w, w) || !near(m.c, c) || !near(m.ww-w*w, varW) || !near(m.cc-c*c, varC) ||
						!near(m.wc-w*c, covariance) {
						t.Fatalf("%s, %d hops, congested %b, hop %d: %+v, want means %g %g, variances %g %g, "+
							"covariance %g", text, length, congested, place, m, w, c, varW, varC, covariance)
					}
					if !near(m.varW, varW) || !near(m.varC, varC) || !near(m.common, covariance) {
						t.Fatalf("%s, %d hops, congested %b, hop %d: estimates %g %g %g of variances %g %g and "+
							"covariance %g", text, length, congested, place, m.varW, m.varC, m.common, varW, varC, covariance)
					}
				}
			}
		}
	}
}

// Draws in advance give every reservoir with the probability that draws in the
// switches do (Taffet 2018, section 5.9), counts with them.
func TestDrawnEqualsReservoir(t *testing.T) {
	for _, kind := range []string{"full", "one-bit", "one-reservoir", "one-reservoir,hash=whole"} {
		plain, drawn := variant(t, kind), variant(t, kind+",drawn=4")
		for length := 0; length <= 4; length++ {
			for congested := range uint(1) << length {
				r := route{[]int32{3, 1, 4, 2}[:length], congested}
				want, got := headers(plain, r), headers(drawn, r)
				if len(want) != len(got) {
					t.Fatalf("%s, %d hops, congested %b: %d headers, reservoirs "+
						"have %d", kind, length, congested, len(got), len(want))
				}
				for h, p := range want {
					if !near(got[h], p) {
						t.Errorf("%s, %d hops, congested %b: %s has probability %g, "+
							"reservoirs %g", kind, length, congested, h, got[h], p)
					}
				}
			}
		}
	}
}

// headers are the probabilities of what receivers are told.
func headers(v sampling.Variant, r route) map[string]float64 {
	p, source := map[string]float64{}, &relay{}
	device := sampling.NewSwitch(v, 10, source)
	packet := sampling.Packet{ID: 0xcafe}
	all(func(c sampling.Chooser) {
		source.Chooser = c
		travel(v, device, &packet, r, c)
	}, func(probability float64) {
		h := packet.Header
		hops, found := packet.Counts(v)
		h.HopCount, h.CongestedCount, h.HopDraws, h.CongestedDraws = hops, found, 0, 0
		p[fmt.Sprintf("%+v", h)] += probability
	})
	return p
}

// Of a path longer than the draws the first hops are sampled as if it ended
// there: they weigh 1, later ones nothing.
func TestDrawnTooFew(t *testing.T) {
	for _, text := range []string{"full,drawn=3", "one-reservoir,drawn=3"} {
		v := variant(t, text)
		links := independent(v, 5)
		for i, m := range exactMoments(v, links, route{links, 0b11}, nil) {
			want := 1.
			if i >= 3 {
				want = 0
			}
			if !near(m.w, want) || !near(m.w, v.ExpectedWeight(i+1, 5)) {
				t.Errorf("%s: hop %d of 5 weighs %g, want %g", text, i+1, m.w, want)
			}
			if i < 2 && !near(m.c, 1) || i > 2 && !near(m.c, 0) {
				t.Errorf("%s: congested hop %d of 5 weighs %g", text, i+1, m.c)
			}
		}
	}
}
