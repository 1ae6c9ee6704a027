package evalsim_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// interrupted is a context that is cancelled when it is asked for the third time.
type interrupted struct {
	context.Context
	asked int
}

func (c *interrupted) Err() error {
	if c.asked++; c.asked > 2 {
		return context.Canceled
	}
	return nil
}

// A run leaves nothing behind for the next one on the same simulation, not even
// one that was cancelled midway or that did something else.
func TestRunsLeaveNothingBehind(t *testing.T) {
	tier.Long(t, "simulations of a second")
	leavesNothing(t, network(t, "dragonfly:groups=5,routers=4,hosts=2,global=1"), evalsim.UGAL, 50_000, "full")
	rails := planes(t, 20, 3, 1) // of three rails
	for _, variant := range []string{"n=2,counter=2", "one-bit", "one-reservoir," +
		"counter=2", "one-reservoir,hash=whole,counter=2", "bloom:64"} {
		leavesNothing(t, rails, evalsim.Adaptive, 50_000, variant)
		leavesNothing(t, rails, evalsim.Adaptive, 0, variant) // in one and the same table
	}
}

func leavesNothing(t *testing.T, top *topology.Topology, routing evalsim.Routing, slice time.Duration,
	variant string) {
	t.Helper()
	v, err := sampling.ParseVariant(variant)
	if err != nil {
		t.Fatal(err)
	}
	p, err := workload.ParsePattern("uniform:20,bytes=65536,rounds=161")
	if err != nil {
		t.Fatal(err)
	}
	o := options(func(o *evalsim.Options) {
		o.Routing, o.BufferBytes, o.Sampling = routing, 8192, v
		o.Congestion = evalsim.Congestion{Rule: evalsim.Probabilistic, Bytes: 16384, At: evalsim.AtDeparture}
		o.FlowCounts, o.ByPhase, o.ByTag, o.Latencies = true, true, true, true
		o.SliceLength = slice
	})
	lay := func() *evalsim.Simulation {
		s, err := evalsim.New(top, []evalsim.Job{{Program: p, Hosts: identity(20)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	play := func(s *evalsim.Simulation, seed uint64) *evalsim.Result {
		r, err := s.Run(context.Background(), seed)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	alone := play(lay(), 2)
	s := lay()
	play(s, 1)
	if !reflect.DeepEqual(play(s, 2), alone) {
		t.Errorf("%s: a run after another differs from the run alone", variant)
	}
	if _, err := s.Run(&interrupted{Context: context.Background()}, 1); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run that should be cancelled midway: %v", err)
	}
	if !reflect.DeepEqual(play(s, 2), alone) {
		t.Errorf("%s: a run after a cancelled one differs from the run alone", variant)
	}
}
