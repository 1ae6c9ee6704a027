package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"remap/workload"
)

// checkComplete tests that every message has a receive and every receive a message, by counting
// them for each sender, receiver and tag. A receive of any rank or tag takes what the others leave
// over. The counts of a program with such receives can agree although a receive takes a message that
// another receive needs, also one of the next step; then ranks wait for ever. That is so in MPI, too.
func checkComplete(p *workload.Program) error {
	left := map[channel]int{} // sends without a receive
	wild := map[channel]int{} // receives of any rank or tag
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			switch {
			case op.Kind.IsSend():
				left[channel{r, op.Peer, op.Tag}]++
			case !op.Kind.IsReceive():
			case op.Peer == workload.AnySource || op.Tag == workload.AnyTag:
				wild[channel{op.Peer, r, op.Tag}]++
			default:
				left[channel{op.Peer, r, op.Tag}]--
			}
		}
	}
	excess := map[int32]int{} // messages to each rank less its receives of any rank or tag
	for _, c := range sorted(left) {
		switch n := left[c]; {
		case n < 0:
			return fmt.Errorf("%d receives of messages %v have no message", -n, c)
		case n > 0:
			excess[c.to] += n
		}
	}
	for c, n := range wild {
		excess[c.to] -= n
	}
	for _, c := range sorted(left) {
		if excess[c.to] > 0 && left[c] > 0 {
			return fmt.Errorf("rank %d has %d receives too few: among others %d messages %v have none", c.to,
				excess[c.to], left[c], c)
		}
	}
	for _, c := range sorted(wild) {
		if excess[c.to] < 0 {
			return fmt.Errorf("rank %d has %d receives too many, among them those of messages %v", c.to,
				-excess[c.to], c)
		}
		if n := matching(left, c); n < wild[c] {
			return fmt.Errorf("%d receives of messages %v have %d messages", wild[c], c, n)
		}
	}
	return nil
}

// sorted is the channels of counts by receiver, sender and tag.
func sorted(counts map[channel]int) []channel {
	return slices.SortedFunc(maps.Keys(counts), func(a, b channel) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from), cmp.Compare(a.tag, b.tag))
	})
}

// matching counts the messages that a receive of any rank or tag may take.
func matching(left map[channel]int, wanted channel) int {
	sum := 0
	for c, n := range left { // a sum of integers: any order
		if wanted.takes(c) {
			sum += n
		}
	}
	return sum
}

// takes says whether a receive takes messages of a channel.
func (c channel) takes(m channel) bool {
	return c.to == m.to && (c.from == m.from || c.from == workload.AnySource) &&
		(c.tag == m.tag || c.tag == workload.AnyTag)
}
