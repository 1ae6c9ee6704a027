package benchmarks

import (
	"context"
	"math"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/strategy"
	"remap/workload"
)

// Scaling the volumes to a cap of packets must not change what it is for:
// mappings rank the same at twice the cap, and the times are in proportion to
// the volumes. Mappings within 3 % of each other may change places.
func TestCapKeepsRanking(t *testing.T) {
	scenario, err := fixtures.Find("small-stencil")
	if err != nil {
		t.Fatal(err)
	}
	scenario.Pattern += ",rounds=40"
	_, traffic, problem, err := scenario.Load(1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"identity", "random", "rcm", "kl", "tiling"}
	times := func(maxPackets int64) (us []float64, scale float64) {
		o := workload.DefaultRecordedOptions()
		o.MaxPackets = maxPackets
		program, err := workload.Recorded(traffic, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			s, err := strategy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Map(context.Background(), problem)
			if err != nil {
				t.Fatal(err)
			}
			jobs := []evalsim.Job{{Program: program, Hosts: m.Hosts(problem.Allocation)}}
			results, err := evalsim.Repeat(context.Background(), problem.Machine, jobs, evalsim.DefaultOptions(), 3, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			us = append(us, float64(evalsim.Summarize(results).ElapsedNS)/1000)
		}
		return us, program.VolumeScale
	}
	one, scaleOne := times(100_000)
	two, scaleTwo := times(200_000)
	t.Logf("at %.3f of the volume: %.1f us; at %.3f: %.1f us", scaleOne, one, scaleTwo, two)
	if scaleOne >= 1 || math.Abs(scaleTwo/scaleOne-2) > 0.05 {
		t.Errorf("volume scales %g and %g", scaleOne, scaleTwo)
	}
	for i := range names {
		if grown := two[i] / one[i]; grown < 1.8 || grown > 2.2 {
			t.Errorf("%s: twice the volume takes %.2f times as long", names[i], grown)
		}
		for j := range names {
			if one[i] < one[j]*0.97 && two[i] > two[j] {
				t.Errorf("%s beats %s by %.1f to %.1f us at the cap, but not at twice the cap (%.1f and %.1f)",
					names[i], names[j], one[i], one[j], two[i], two[j])
			}
		}
	}
}
