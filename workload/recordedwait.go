package workload

import (
	"slices"

	"remap/commgraph"
)

// senders finds the entries of a traffic by their destination.
type senders struct {
	offsets []int32 // length ranks+1
	entries []incomingEntry
}

// incomingEntry is an entry of the traffic with the rank that sends.
type incomingEntry struct{ sender, entry int32 }

// newSenders sorts the entries by destination, then by sender, in O(ranks + entries).
func newSenders(t *commgraph.Traffic) *senders {
	s := &senders{make([]int32, t.Ranks()+1), make([]incomingEntry, len(t.Destinations))}
	for _, to := range t.Destinations {
		s.offsets[to+1]++
	}
	for r := range t.Ranks() {
		s.offsets[r+1] += s.offsets[r]
	}
	next := slices.Clone(s.offsets)
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			to := t.Destinations[i]
			s.entries[next[to]] = incomingEntry{r, i}
			next[to]++
		}
	}
	return s
}

// of lists the entries that end at a rank, by ascending sender.
func (s *senders) of(r int32) []incomingEntry { return s.entries[s.offsets[r]:s.offsets[r+1]] }

// interleaveWaiting appends a rank's rounds of receives, sends and waiting for them; it uses up both
// lists, ascending by rank.
func (p *Program) interleaveWaiting(from, to []partner) {
	for round := int64(0); len(from)+len(to) > 0; round++ {
		begun := len(p.Ops)
		from = p.round(Ireceive, from, round)
		to = p.round(Isend, to, round)
		if len(p.Ops) > begun {
			p.Ops = append(p.Ops, Op{Kind: WaitAll})
		}
	}
	p.endRank()
}
