package benchmarks

import (
	"strings"
	"testing"

	"remap/feedback"
	"remap/internal/testkit/tier"
)

// What the loop says holds on seeds that it has not seen: it is not slower than
// the static mappings, and where it tells of a gain there is one.
func TestLoopNeverClaimsTooMuch(t *testing.T) {
	tier.Long(t, "searches of five seconds")
	for _, scenario := range []string{"irregular-small", "nas-cg-small", "degraded-small",
		"tapered-stencil-small"}[:tier.Cases(0, 1, 4)] {
		b := openLoop(t, scenario, "multisection,tiling,kl", 1)
		s := b.settings
		s.Refine, s.Rounds, s.Repeats = nil, 1, 3
		r := b.optimize(t, s)
		found := b.judge(t, "loop", r.Best.Mapping, freshRepeat)
		for _, static := range []*feedback.Candidate{&r.Start, &r.Static} {
			reference := b.judge(t, staticName(static), static.Mapping, freshRepeat)
			if g := found.gainOver(reference); g.Known && g.High < 0 {
				t.Errorf("%s: %s %% faster than %s: it is slower", scenario, gainText(g), reference.name)
			}
		}
		if len(r.Best.Model) > 0 && !r.Gain.Proven() {
			t.Errorf("%s: a mapping of feedback is given back that gains %s %%", scenario, gainText(r.Gain))
		}
		if r.Stopped == "" || r.Simulations < len(r.Candidates) || r.Runs < r.Simulations {
			t.Errorf("%s: %d mappings in %d simulations and %d runs, "+
				"stopped %q", scenario, len(r.Candidates), r.Simulations, r.Runs, r.Stopped)
		}
	}
}

// leastGains are gains over the best static mapping in per cent, less than any of seeds
// 1 to 5 was measured to give.
var leastGains = map[string]float64{
	"io-gateway-small": 50, // 65 to 72
	"spare-small":      12, // 16 to 24
	"pf3d-small":       10, // 13 to 20
}

// The loop gains where others crowd leaves, on seeds that it has not seen: in steady state
// what is promised of each scenario, in one cold step what it gained before there was
// another question. REMAP_TABLE=1 tells of five seeds in steady state, else there are two in
// the experiments and one in the long tier, which has one scenario.
func TestLoopGainsBesideOthers(t *testing.T) {
	tier.Long(t, "searches of ten seconds")
	seeds := uint64(tier.Cases(0, 1, 2))
	if tier.IsTable() {
		seeds = 5
	}
	for scenario, cold := range leastGains {
		t.Run(scenario, func(t *testing.T) {
			if scenario != "io-gateway-small" {
				tier.Experiment(t, "searches of ten seconds and more")
			}
			gains(t, scenario, 1, 1, cold)
			for seed := uint64(1); seed <= seeds; seed++ {
				gains(t, scenario, seed, 0, promisedGain[strings.TrimSuffix(scenario, "-small")])
			}
		})
	}
}

// gains tests that a search proves a least gain over the best static mapping, in %.
func gains(t *testing.T, scenario string, seed uint64, steps int, least float64) {
	b := openLoop(t, scenario, "multisection,tiling,swap", seed)
	b.Options.Steps = steps
	s := b.settings
	b.judgeBy(&s, b.Options)
	b.settings.Validate = s.Validate
	s.Rounds, s.Repeats = 2, 4
	r := b.optimize(t, s)
	found := b.judge(t, "loop", r.Best.Mapping, freshRepeat)
	static := b.judge(t, "static", r.Static.Mapping, freshRepeat)
	gain := found.gainOver(static)
	t.Logf("%s, seed %d, steps %d: static %s us, loop %s, gain %s %%, %d mappings", scenario, seed, steps,
		static.text(), found.text(), gainText(gain), r.Simulations)
	if !gain.Proven() || gain.Percent < least {
		t.Errorf("%s, seed %d, steps %d: gain %s %%, want %g", scenario, seed, steps, gainText(gain), least)
	}
}
