package workload

import (
	"slices"

	"remap/commgraph"
)

// alike is the share of its bytes by which the traffic of a round may differ from
// that of a phase, each made the same in all, and still be taken for more of it.
const alike = 0.1

// gathering is phases that grow round by round. Twice as many as are asked for
// are kept until the last round is known.
type gathering struct {
	traffic *commgraph.Traffic
	sender  []int32       // length entries
	held    [][]holding   // length entries: what phases have of it
	into    []int32       // by number of a phase: the one it was joined to, itself if none
	at      []int32       // by number of a phase that was not joined: its place in phases
	phases  []phaseTotals // in order of their first rounds
	limit   int           // most phases before two are joined

	round  []holding // scratch, length entries: what the round in hand has; 0 between rounds
	order  []int32   // its entries, in the order of their first sends
	common []float64 // length phases: share of bytes that the round has in common with each
}

// holding is what a phase has of an entry.
type holding struct {
	phase           int32
	bytes, messages int64
}

// phaseTotals is a phase so far.
type phaseTotals struct {
	number int32
	bytes  float64   // between different ranks
	apart  []float64 // length phases: share of the bytes in which the two differ, or an upper bound of it
}

func newGathering(traffic *commgraph.Traffic, most int) *gathering {
	entries := len(traffic.Bytes)
	g := &gathering{traffic: traffic, limit: 2 * most, sender: make([]int32, entries),
		held: make([][]holding, entries), round: make([]holding, entries)}
	for r := range int32(traffic.Ranks()) {
		first, end := traffic.Row(r)
		for e := first; e < end; e++ {
			g.sender[e] = r
		}
	}
	return g
}

// take adds the sends of a round.
func (g *gathering) take(p *Program, entry, sends []int32) {
	bytes := 0.0
	g.order = g.order[:0]
	for _, i := range sends {
		e := entry[i]
		if g.round[e].messages == 0 {
			g.order = append(g.order, e)
		}
		g.round[e].messages++
		g.round[e].bytes += p.Ops[i].Bytes
		if p.Ops[i].Peer != g.sender[e] {
			bytes += float64(p.Ops[i].Bytes)
		}
	}
	g.compare(bytes)
	phase := g.choose(bytes)
	number := g.phases[phase].number
	for _, e := range g.order {
		h := g.round[e]
		h.phase = number
		g.held[e] = append(g.held[e], h)
		g.round[e] = holding{}
	}
	if len(g.phases) > g.limit {
		g.joinClosest()
	}
}

// compare fills common: the sum over pairs of the lesser of both shares.
func (g *gathering) compare(bytes float64) {
	g.common = slices.Grow(g.common[:0], len(g.phases)+1)[:len(g.phases)]
	clear(g.common)
	for _, e := range g.order {
		g.tidy(e)
		if g.traffic.Destinations[e] == g.sender[e] || g.round[e].bytes == 0 {
			continue
		}
		for _, h := range g.held[e] {
			if at := g.at[h.phase]; h.bytes > 0 {
				g.common[at] += min(float64(g.round[e].bytes)/bytes, float64(h.bytes)/g.phases[at].bytes)
			}
		}
	}
	for at := range g.phases {
		if bytes == 0 || g.phases[at].bytes == 0 {
			g.common[at] = 1 // nothing that could be misjudged
		}
	}
}

// choose gives the phase that the round is more of, a new one if it is like none.
func (g *gathering) choose(bytes float64) int {
	best := -1
	for at, common := range g.common {
		if common >= 1-alike && (best < 0 || common > g.common[best]) {
			best = at
		}
	}
	if best >= 0 {
		apart := make([]float64, len(g.phases))
		for at, common := range g.common {
			apart[at] = max(0, 1-common)
		}
		g.widen(best, bytes, apart)
		return best
	}
	number := int32(len(g.into))
	g.into, g.at = append(g.into, number), append(g.at, int32(len(g.phases)))
	f := phaseTotals{number: number, bytes: bytes}
	for at, common := range g.common {
		g.phases[at].apart = append(g.phases[at].apart, max(0, 1-common))
		f.apart = append(f.apart, max(0, 1-common))
	}
	f.apart = append(f.apart, 0)
	g.phases = append(g.phases, f)
	return len(g.phases) - 1
}

// widen adds bytes that lie apart from all phases as given to one of them. How far
// a union is from a third is no more than the mean of its parts, by their bytes.
func (g *gathering) widen(phase int, bytes float64, apart []float64) {
	f := &g.phases[phase]
	share := 0.0
	if f.bytes+bytes > 0 {
		share = bytes / (f.bytes + bytes)
	}
	for at := range g.phases {
		if at != phase {
			f.apart[at] += share * (apart[at] - f.apart[at])
			g.phases[at].apart[phase] = f.apart[at]
		}
	}
	f.bytes += bytes
}

// joinClosest makes one of the two phases whose union hides fewest bytes; of several
// such pairs the lightest, of these the one whose rounds follow each other most
// closely.
func (g *gathering) joinClosest() {
	first, second := 0, 0
	var least, lightest float64
	for gap := 1; gap < len(g.phases); gap++ {
		for i := range len(g.phases) - gap {
			a, b := &g.phases[i], &g.phases[i+gap]
			hidden, union := min(a.bytes, b.bytes)*a.apart[i+gap], a.bytes+b.bytes
			if second == 0 || hidden < least || hidden == least && union < lightest {
				first, second, least, lightest = i, i+gap, hidden, union
			}
		}
	}
	gone := g.phases[second]
	g.widen(first, gone.bytes, gone.apart)
	g.into[gone.number] = g.phases[first].number
	g.phases = slices.Delete(g.phases, second, second+1)
	for at := range g.phases {
		f := &g.phases[at]
		f.apart = slices.Delete(f.apart, second, second+1)
		g.at[f.number] = int32(at)
	}
}

// tidy makes one holding of those whose phases have been joined.
func (g *gathering) tidy(e int32) {
	kept := g.held[e][:0]
	for _, h := range g.held[e] {
		for g.into[h.phase] != h.phase {
			g.into[h.phase] = g.into[g.into[h.phase]]
			h.phase = g.into[h.phase]
		}
		if i := slices.IndexFunc(kept, func(k holding) bool { return k.phase == h.phase }); i >= 0 {
			kept[i].bytes += h.bytes
			kept[i].messages += h.messages
		} else {
			kept = append(kept, h)
		}
	}
	g.held[e] = kept
}

// traffics is the traffic of every phase.
func (g *gathering) traffics() []*commgraph.Traffic {
	ranks := g.traffic.Ranks()
	list := make([]*commgraph.Traffic, len(g.phases))
	for i := range list {
		list[i] = &commgraph.Traffic{Offsets: make([]int32, ranks+1), Destinations: []int32{}, Bytes: []int64{},
			Messages: []int64{}}
	}
	for r := range int32(ranks) {
		first, end := g.traffic.Row(r)
		for e := first; e < end; e++ {
			g.tidy(e)
			for _, h := range g.held[e] {
				t := list[g.at[h.phase]]
				t.Destinations = append(t.Destinations, g.traffic.Destinations[e])
				t.Bytes, t.Messages = append(t.Bytes, h.bytes), append(t.Messages, h.messages)
			}
		}
		for _, t := range list {
			t.Offsets[r+1] = int32(len(t.Bytes))
		}
	}
	return list
}
