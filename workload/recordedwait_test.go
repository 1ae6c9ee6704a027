package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// With waiting the same messages are sent in the same order, every one is received, no rank waits for
// ever, and none sends a message of a round before it has waited for all of the rounds before.
func TestRecordedWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traffic := drawTraffic(t, rapid.Bool().Draw(t, "counted"))
		o := DefaultRecordedOptions()
		o.MaxPackets = rapid.Int64Range(100, 10000).Draw(t, "most")
		free := mustRecord(t, traffic, o)
		o.Wait = true
		waiting := mustRecord(t, traffic, o)
		for p, q := free, waiting; p != nil || q != nil; p, q = p.Smaller, q.Smaller {
			checkWaits(t, p, q)
		}
	})
}

func checkWaits(t *rapid.T, free, waiting *Program) {
	sums := mustFold(t, waiting)
	x := newUntimed(waiting, sums, waiting.sendEntries(sums))
	x.run()
	open := map[[2]int32]int{}
	for r := range int32(free.Ranks()) {
		if end := waiting.Offsets[r+1]; x.ranks[r].at < end {
			t.Fatalf("rank %d waits for ever: %d operations left", r, end-x.ranks[r].at)
		}
		var sent []Op
		round, messages := 0, map[OpKind]map[int32]int{Isend: {}, Ireceive: {}}
		for _, op := range waiting.RankOps(r) {
			if op.Kind == WaitAll {
				round++
				continue
			}
			if messages[op.Kind][op.Peer] != round {
				t.Fatalf("rank %d: message %d of rank %d in round %d", r, messages[op.Kind][op.Peer], op.Peer, round)
			}
			messages[op.Kind][op.Peer]++
			if op.Kind == Isend {
				op.Kind = Send
				sent = append(sent, op)
				open[[2]int32{r, op.Peer}]++
			} else {
				open[[2]int32{op.Peer, r}]--
			}
		}
		if !slices.Equal(sent, free.RankOps(r)) {
			t.Fatalf("rank %d sends %v, without waiting %v", r, sent, free.RankOps(r))
		}
	}
	for pair, count := range open {
		if count != 0 {
			t.Fatalf("%v: %d messages without a receive", pair, count)
		}
	}
}
