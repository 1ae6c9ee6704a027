package benchmarks

import (
	"context"
	"testing"

	"remap/evalsim"
	"remap/feedback"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/strategy"
	"remap/workload"
)

// TestFeedbackReachesTiling holds the loop to what it is for: incremental
// Kernighan-Lin alone, driven by measured congestion, ends within 3 % of the
// provably shortest mapping on the stencil of the 2018 thesis, and without
// feedback it does not come near.
func TestFeedbackReachesTiling(t *testing.T) {
	tier.Long(t, "five searches over 4608 ranks")
	scenario, err := fixtures.Find("tapered-stencil")
	if err != nil {
		t.Fatal(err)
	}
	t.Log("| search | us | of tiling's time |\n|---|---|---|")
	for seed := uint64(1); seed <= 2; seed++ {
		program, traffic, problem, err := scenario.Load(seed)
		if err != nil {
			t.Fatal(err)
		}
		options := evalsim.DefaultOptions()
		options.Seed = seed
		finer := options
		finer.Congestion = evalsim.Congestion{Rule: evalsim.QueueAbove, Bytes: 2 * options.PacketBytes}
		s := feedback.DefaultSettings()
		s.Problem, s.Traffic = problem, traffic
		if s.Models, err = feedback.ParseModels("pairs"); err != nil {
			t.Fatal(err)
		}
		s.Evaluate = feedback.Simulator(problem.Machine, problem.Allocation, program, options, 2)
		s.EvaluateFiner = feedback.Simulator(problem.Machine, problem.Allocation, program, finer, 2)
		s.LowerBound = feedback.Bound{Name: "injection",
			NS: float64(workload.InjectionBound(program, 12.5e9, 12.5e9).Nanoseconds()), Any: true}
		search := func(name string, gain float64, rounds int) float64 {
			one, err := strategy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			s.Strategies, s.Gain, s.Rounds = []mapping.Strategy{one}, gain, rounds
			r, err := feedback.Optimize(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			return float64(r.Best.Summary.ElapsedNS) / 1000
		}
		tiling, fed := search("tiling", 0, 0), search("kl", feedback.DefaultSettings().Gain, 5)
		t.Logf("| tiling, seed %d | %.3f | 1 |", seed, tiling)
		t.Logf("| kl with feedback, seed %d | %.3f | %.4f |", seed, fed, fed/tiling)
		if fed > 1.03*tiling {
			t.Errorf("seed %d: kl with feedback ends at %.3f of tiling", seed, fed/tiling)
		}
		if seed == 1 {
			blind := search("kl", 0, 5)
			t.Logf("| kl, gain 0: no feedback, seed %d | %.3f | %.4f |", seed, blind, blind/tiling)
			if blind < 1.05*tiling {
				t.Errorf("without feedback kl reaches %.3f of tiling: the test shows nothing", blind/tiling)
			}
		}
	}
}
