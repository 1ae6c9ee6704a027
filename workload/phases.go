package workload

import "remap/commgraph"

// PhaseTraffic divides Traffic into phases that do not overlap in time, where
// ranks keep step: what can be under way at once stays together (Taffet 2018,
// section 2.7: paths with heavy traffic that do not overlap in time may share
// links). A phase ends where ranks wait, see roundsOf; names of phases
// (Program.Phases) say where in a program its sends are, not when, and play no part.
//
// Rounds with the same traffic but for a factor, or nearly (iterations), are one
// phase: what a mapping makes of one it makes of all. Where more than most are
// left, those are put together in turn whose union hides fewest bytes: the
// smaller one's, by the share in which the two differ.
//
// The result has 1 to most phases, most > 0, in the order of their first rounds;
// entry by entry, bytes and messages add up to Traffic. A program in which no rank
// ever waits has one phase. Errors are those of Traffic.
// O(operations x most) at worst, O(operations) where phases differ in their pairs.
func (p *Program) PhaseTraffic(most int) ([]*commgraph.Traffic, error) {
	traffic, err := p.Traffic()
	if err != nil {
		return nil, err
	}
	entry := p.sendEntries(traffic)
	rounds, several := p.roundsOf(traffic, entry)
	if !several || most <= 1 {
		return []*commgraph.Traffic{traffic}, nil
	}
	g := newGathering(traffic, most)
	for _, sends := range p.sendsByRound(rounds) {
		g.take(p, entry, sends)
	}
	for len(g.phases) > most {
		g.joinClosest()
	}
	if len(g.phases) <= 1 {
		return []*commgraph.Traffic{traffic}, nil
	}
	return g.traffics(), nil
}

// sendsByRound lists the sends of every round, rounds that have none left out.
func (p *Program) sendsByRound(rounds []int32) [][]int32 {
	last := int32(-1)
	for i := range p.Ops {
		if p.Ops[i].Kind.IsSend() {
			last = max(last, rounds[i])
		}
	}
	counts := make([]int, last+2)
	for i := range p.Ops {
		if p.Ops[i].Kind.IsSend() {
			counts[rounds[i]+1]++
		}
	}
	for r := range last + 1 {
		counts[r+1] += counts[r]
	}
	sorted := make([]int32, counts[last+1])
	next := append([]int(nil), counts...)
	for i := range p.Ops {
		if p.Ops[i].Kind.IsSend() {
			sorted[next[rounds[i]]] = int32(i)
			next[rounds[i]]++
		}
	}
	var list [][]int32
	for r := range last + 1 {
		if counts[r] < counts[r+1] {
			list = append(list, sorted[counts[r]:counts[r+1]])
		}
	}
	return list
}
