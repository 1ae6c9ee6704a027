package replay_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/replay"
	"remap/workload"
)

// Of every program the same messages are sent, none of the short ones by a blocking send, and what
// the rank waits for is what it waited for before.
func TestEager(t *testing.T) {
	for _, spec := range patterns {
		p, err := replay.WithReceives(parse(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		checkEager(t, spec, p, 60000)
		checkEager(t, spec, p, 1<<40)
		if replay.Eager(p, -1) != p {
			t.Errorf("%s: a program without early sends is another", spec)
		}
	}
}

func TestEagerRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := workload.NewBuilder(1, 0)
		var requests []int64
		for range rapid.IntRange(1, 30).Draw(t, "operations") {
			bytes := rapid.Int64Range(0, 4).Draw(t, "bytes")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0, 1:
				b.Send(0, bytes, 0)
			case 2:
				requests = append(requests, b.Isend(0, bytes, 0))
			case 3:
				requests = append(requests, b.Ireceive(0, bytes, 0))
			case 4:
				b.WaitAll()
			default:
				if len(requests) > 0 {
					b.Wait(rapid.SampledFrom(requests).Draw(t, "request"))
				}
			}
		}
		b.EndRank()
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		checkEager(t, "random", p, 2)
	})
}

// checkEager compares a program and its eager form, rank by rank: operation by operation, and before
// each the requests of the program that have been waited for.
func checkEager(t interface{ Fatalf(string, ...any) }, name string, p *workload.Program, bytes int64) {
	q := replay.Eager(p, bytes)
	if err := q.Check(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for r := range int32(p.Ranks()) {
		var early []bool // of p's operations but waits
		for _, op := range p.RankOps(r) {
			if op.Kind != workload.Wait && op.Kind != workload.WaitAll {
				early = append(early, op.Kind == workload.Send && op.Bytes <= bytes)
			}
		}
		before, after := trace(p.RankOps(r), make([]bool, len(early))), trace(q.RankOps(r), early)
		for k := range before {
			if early[k] {
				before[k].op.Kind = workload.Isend
			}
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s, rank %d: %v has become %v", name, r, p.RankOps(r), q.RankOps(r))
		}
	}
}

// did is an operation and what was certain before it.
type did struct {
	op     workload.Op
	waited []bool // by request, those of early operations left out
}

// trace lists the operations of a rank but waits; early says which of them make a request that does
// not count.
func trace(ops []workload.Op, early []bool) (all []did) {
	var waited []bool
	var number []int // of each request among those that count; -1 = it does not
	for _, op := range ops {
		switch {
		case op.Kind == workload.Wait && number[op.Bytes] >= 0:
			waited[number[op.Bytes]] = true
		case op.Kind == workload.WaitAll:
			for i := range waited {
				waited[i] = true
			}
		case op.Kind != workload.Wait:
			all = append(all, did{op, slices.Clone(waited)})
			if op.Kind.IsRequest() {
				number = append(number, -1)
				if !early[len(all)-1] {
					number[len(number)-1] = len(waited)
					waited = append(waited, false)
				}
			}
		}
	}
	return all
}
