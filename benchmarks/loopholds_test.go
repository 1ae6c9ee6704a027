package benchmarks

import (
	"os"
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

// promises are gains over the best static mapping in per cent, and how many of the seeds
// reach them: less than was measured.
var promises = []struct {
	scenario     string
	least        float64
	seeds, reach int
}{
	{"io-gateway-small", 50, 2, 2}, // 65 to 72 on seeds 1 to 5
	{"spare-small", 5, 2, 2},       // 9 to 19
	{"pf3d-small", 10, 5, 1},       // 14 and 17 on two of them, nothing on the others
}

// The loop gains where others crowd leaves, on seeds that it has not seen.
// REMAP_TABLE=1 tells of seeds 1 to 5 in all.
func TestLoopGainsBesideOthers(t *testing.T) {
	if os.Getenv("REMAP_LONG") == "" {
		t.Skip("skipped: searches of half a minute; set REMAP_LONG=1")
	}
	for _, p := range promises {
		if os.Getenv("REMAP_TABLE") != "" {
			p.seeds = 5
		}
		reached := 0
		for seed := range uint64(p.seeds) {
			b := openLoop(t, p.scenario, "multisection,tiling,swap", seed+1)
			s := b.settings
			s.Rounds, s.Repeats = 2, 4
			r := b.optimize(t, s)
			found := b.judge(t, "loop", r.Best.Mapping, freshRepeat)
			static := b.judge(t, "static", r.Static.Mapping, freshRepeat)
			gain := found.gainOver(static)
			t.Logf("%s, seed %d: static %s us, loop %s, gain %s %%, %d mappings", p.scenario, seed+1, static.text(), found.text(), gainText(gain), r.Simulations)
			if gain.Proven() && gain.Percent >= p.least {
				reached++
			}
		}
		if reached < p.reach {
			t.Errorf("%s: %d of %d seeds gain %g %%, want %d", p.scenario, reached, p.seeds, p.least, p.reach)
		}
	}
}
