package benchmarks

import (
	"testing"

	"remap/feedback"
)

// What the loop says holds on seeds that it has not seen: it is not slower than
// the static mappings, and where it tells of a gain there is one.
func TestLoopNeverClaimsTooMuch(t *testing.T) {
	for _, scenario := range []string{"tapered-stencil-small", "irregular-small", "degraded-small", "nas-cg-small"} {
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
		if len(r.Best.Form) > 0 && !r.Gain.Proven() {
			t.Errorf("%s: a mapping of feedback is given back that gains %s %%", scenario, gainText(r.Gain))
		}
		if r.Stopped == "" || r.Simulations < len(r.Candidates) || r.Runs < r.Simulations {
			t.Errorf("%s: %d mappings in %d simulations and %d runs, stopped %q", scenario, len(r.Candidates), r.Simulations, r.Runs, r.Stopped)
		}
	}
}
