// Package commgraph holds what ranks send each other: the directed traffic as
// recorded, and the undirected graph it folds to, with readers and writers.
package commgraph

import (
	"fmt"
	"math"
	"slices"
)

// MaxRanks bounds every input: vertices and directed entries are counted in int32.
const MaxRanks = 1 << 30

// Flow is what one rank sends another over the whole program.
type Flow struct {
	From, To int32
	// Bytes: >= 0.
	Bytes int64
	// Messages: >= 0; 0 = not known (of a Traffic without counts).
	Messages int64
}

// Traffic is the directed communication of a program, in compressed sparse
// rows by sender. Traffic of a rank with itself may stand in it.
//
// Invariants (Check): Offsets ascends from 0 to len(Destinations); within a
// row destinations ascend strictly; Bytes >= 0; the sum of Bytes is at most MaxTotal.
type Traffic struct {
	// Offsets (length ranks+1): row r is entries Offsets[r] to Offsets[r+1].
	Offsets []int32
	// Destinations: length entries.
	Destinations []int32
	// Bytes: length entries.
	Bytes []int64
	// Messages: length entries; nil = counts not known.
	Messages []int64
}

// Ranks is the number of ranks.
func (t *Traffic) Ranks() int { return max(0, len(t.Offsets)-1) }

// Row is the range of entries that rank r sends.
func (t *Traffic) Row(r int32) (first, end int32) { return t.Offsets[r], t.Offsets[r+1] }

// Find gives the entry index of from -> to, or -1.
func (t *Traffic) Find(from, to int32) int32 {
	first, end := t.Row(from)
	i, ok := slices.BinarySearch(t.Destinations[first:end], to)
	if !ok {
		return -1
	}
	return first + int32(i)
}

// TotalBytes is the sum over all entries, self traffic included.
func (t *Traffic) TotalBytes() int64 {
	var sum int64
	for _, b := range t.Bytes {
		sum += b
	}
	return sum
}

// NewTraffic sorts and sums flows. counted tells whether Messages of the
// flows are known; if not, Traffic.Messages is nil. O(ranks + flows).
// Errors: a rank outside 0..ranks-1, negative bytes or messages, overflow.
func NewTraffic(ranks int, flows []Flow, counted bool) (*Traffic, error) {
	if ranks < 0 || ranks > MaxRanks {
		return nil, fmt.Errorf("%d ranks: at most %d are supported", ranks, MaxRanks)
	}
	if len(flows) > math.MaxInt32 {
		return nil, fmt.Errorf("%d flows: at most %d are supported", len(flows), math.MaxInt32)
	}
	var bytes, messages int64
	for _, f := range flows {
		if err := checkFlow(f, ranks); err != nil {
			return nil, err
		}
		if bytes += f.Bytes; bytes > MaxTotal {
			return nil, fmt.Errorf("total volume above the limit of %d bytes", int64(MaxTotal))
		}
		if messages += f.Messages; messages > MaxTotal {
			return nil, fmt.Errorf("more than %d messages", int64(MaxTotal))
		}
	}
	t := &Traffic{Offsets: make([]int32, ranks+1), Destinations: []int32{}, Bytes: []int64{}}
	if counted {
		t.Messages = []int64{}
	}
	before := Flow{From: -1}
	for _, i := range sortedOrder(ranks, flows) {
		f := flows[i]
		if f.From != before.From || f.To != before.To {
			t.Destinations = append(t.Destinations, f.To)
			t.Bytes = append(t.Bytes, 0)
			if counted {
				t.Messages = append(t.Messages, 0)
			}
		}
		last := len(t.Bytes) - 1
		t.Bytes[last] += f.Bytes
		if counted {
			t.Messages[last] += f.Messages
		}
		t.Offsets[f.From+1] = int32(last + 1)
		before = f
	}
	for r := 1; r <= ranks; r++ {
		t.Offsets[r] = max(t.Offsets[r], t.Offsets[r-1])
	}
	return t, nil
}

// sortedOrder gives the indices of flows by sender, then receiver, then place:
// two stable counting sorts, the minor key first. Length len(flows).
func sortedOrder(ranks int, flows []Flow) []int32 {
	order, other := make([]int32, len(flows)), make([]int32, len(flows))
	next := make([]int32, ranks+1)
	for i := range order {
		order[i] = int32(i)
	}
	countingSort(other, order, next, func(i int32) int32 { return flows[i].To })
	countingSort(order, other, next, func(i int32) int32 { return flows[i].From })
	return order
}

// countingSort writes items to sorted by key, stably; next is scratch of
// length keys+1.
func countingSort(sorted, items, next []int32, key func(int32) int32) {
	clear(next)
	for _, i := range items {
		next[key(i)+1]++
	}
	for k := range len(next) - 1 {
		next[k+1] += next[k]
	}
	for _, i := range items {
		k := key(i)
		sorted[next[k]] = i
		next[k]++
	}
}

// MaxTotal bounds a traffic's volume, so that weight times distance stays in int64.
const MaxTotal = 1 << 52

func checkFlow(f Flow, ranks int) error {
	switch {
	case f.From < 0 || int(f.From) >= ranks:
		return fmt.Errorf("sender %d is not one of %d ranks", f.From, ranks)
	case f.To < 0 || int(f.To) >= ranks:
		return fmt.Errorf("receiver %d is not one of %d ranks", f.To, ranks)
	case f.Bytes < 0 || f.Bytes > MaxTotal:
		return fmt.Errorf("volume %d of %d -> %d out of range", f.Bytes, f.From, f.To)
	case f.Messages < 0 || f.Messages > MaxTotal:
		return fmt.Errorf("message count %d of %d -> %d out of range", f.Messages, f.From, f.To)
	}
	return nil
}

// Check tests the invariants.
func (t *Traffic) Check() error {
	n := t.Ranks()
	if len(t.Offsets) == 0 || t.Offsets[0] != 0 || int(t.Offsets[n]) != len(t.Destinations) {
		return fmt.Errorf("offsets do not span the %d entries", len(t.Destinations))
	}
	if len(t.Bytes) != len(t.Destinations) || t.Messages != nil && len(t.Messages) != len(t.Destinations) {
		return fmt.Errorf("%d destinations, %d volumes, %d counts", len(t.Destinations), len(t.Bytes),
			len(t.Messages))
	}
	var total int64
	for r := range int32(n) {
		first, end := t.Row(r)
		if first > end {
			return fmt.Errorf("offsets of rank %d descend", r)
		}
		for i := first; i < end; i++ {
			f := Flow{From: r, To: t.Destinations[i], Bytes: t.Bytes[i]}
			if t.Messages != nil {
				f.Messages = t.Messages[i]
			}
			if err := checkFlow(f, n); err != nil {
				return err
			}
			if i > first && t.Destinations[i-1] >= f.To {
				return fmt.Errorf("destinations of rank %d do not ascend", r)
			}
			if total += f.Bytes; total > MaxTotal {
				return fmt.Errorf("total volume above the limit of %d bytes", int64(MaxTotal))
			}
		}
	}
	return nil
}
