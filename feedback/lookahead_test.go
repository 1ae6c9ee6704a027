package feedback

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"remap/mapping"
	"remap/sampling"
)

// OneAtATime keeps calls from overlapping, for evaluations that count their calls.
func OneAtATime(evaluate Evaluate) Evaluate {
	var one sync.Mutex
	return func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error) {
		one.Lock()
		defer one.Unlock()
		return evaluate(ctx, m, first, count)
	}
}

// What is simulated ahead, and in which order it ends, changes nothing of a result.
func TestAheadChangesNothing(t *testing.T) {
	settings := loop(t)
	want, err := Optimize(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	evaluate, most, now := settings.Evaluate, atomic.Int64{}, atomic.Int64{}
	for seed := range uint64(5) {
		settings.Evaluate = func(ctx context.Context, m mapping.Mapping,
			first, count int) (*Evaluation, error) {
			defer now.Add(-1)
			if running := now.Add(1); running > most.Load() {
				most.Store(running)
			}
			delays := sampling.NewRandom(seed<<32 + uint64(m[0])<<8 + uint64(m[1]))
			time.Sleep(time.Duration(delays.Below(1000)) * time.Microsecond)
			return evaluate(ctx, m, first, count)
		}
		got, err := Optimize(context.Background(), settings)
		if err != nil {
			t.Fatal(err)
		}
		if told(got) != told(want) {
			t.Fatalf("delays %d: another result:\n%s\nwant\n%s", seed, told(got), told(want))
		}
	}
	if most.Load() < 2 {
		t.Error("nothing was simulated ahead")
	}
}
