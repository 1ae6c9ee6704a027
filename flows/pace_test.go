package flows

import (
	"context"
	"testing"
	"time"

	"remap/workload"
)

// TestWaiting: a rank that receives does not get ahead of the rank that sends, and a sender
// goes on after it was stopped because its receiver had too many messages.
func TestWaiting(t *testing.T) {
	type ops = []workload.Op
	compute := workload.Op{Kind: workload.Compute, Bytes: int64(time.Millisecond)}
	isend := workload.Op{Kind: workload.Isend, Peer: 0, Bytes: 10}
	receive := func(kind workload.OpKind) workload.Op { return workload.Op{Kind: kind, Peer: 1} }
	for _, place := range [][]int32{{0, 1}, {0, 0}} {
		for name, p := range map[string]*workload.Program{
			"receive":     program(ops{receive(workload.Receive)}, ops{compute, isend}),
			"wait":        program(ops{receive(workload.Ireceive), {Kind: workload.Wait}}, ops{compute, isend}),
			"wait all":    program(ops{receive(workload.Ireceive), {Kind: workload.WaitAll}}, ops{compute, isend}),
			"end of step": program(ops{receive(workload.Ireceive)}, ops{compute, isend}),
			"stopped":     program(ops{compute, receive(workload.Receive)}, ops{isend}),
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			o := DefaultOptions()
			o.Steps = 3 * unexpectedMost
			j := start(t, ctx, p, place, o)
			for s := j.Snapshot(); s.Steps() < o.Steps && ctx.Err() == nil; s = j.Snapshot() {
				if receiver, sender := s.Ranks[0].Steps, s.Ranks[1].Steps; receiver > sender+1 {
					t.Fatalf("%s: the receiver has played %d steps, the sender %d", name, receiver, sender)
				}
				time.Sleep(time.Millisecond)
			}
			if err := j.Wait(); err != nil || ctx.Err() != nil {
				t.Errorf("%s: %v, %v", name, err, ctx.Err())
			}
			cancel()
		}
	}
}

// TestPace: computing takes its time, also where it is shorter than a sleep, and so does an
// operation that costs nothing.
func TestPace(t *testing.T) {
	for _, test := range []struct {
		pattern string
		step    time.Duration
	}{
		{"ring:2", operationTime}, {"ring:2,compute-ns=100000", 100 * time.Microsecond},
		{"ring:2,compute-ns=3000000", 3 * time.Millisecond},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		j := start(t, ctx, pattern(t, test.pattern), []int32{0, 0}, DefaultOptions())
		time.Sleep(200 * time.Millisecond)
		cancel()
		if err := j.Wait(); err != nil {
			t.Error(err)
		}
		// What is owed may be 1 ms, and 1 ms of a sleep that was too long is made up for.
		most := int64((time.Since(began)+2*shortestSleep)/test.step) + 1
		if steps := j.Snapshot().Steps(); steps == 0 || steps > most {
			t.Errorf("%s: %d steps, want 1 to %d", test.pattern, steps, most)
		}
	}
}
