package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	names := []string{"optimize", "map", "evaluate", "simulate", "compare", "version"}
	for given, want := range map[string]string{
		"optimise": "optimize", "mapp": "map", "maps": "map", "compar": "compare",
		"evalute": "evaluate", "simulation": "", "": "", "zzz": "", "map": "map",
	} {
		if got := Name(given, names); got != want {
			t.Errorf("Name(%q) = %q, want %q", given, got, want)
		}
	}
}

// The edit distance is a metric.
func TestDistanceIsMetric(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		ab := Distance(a, b)
		if (ab == 0) != (a == b) || ab != Distance(b, a) || ab > Distance(a, c)+Distance(c, b) {
			t.Fatalf("distance of %q and %q is %d: not a metric with %q", a, b, ab, c)
		}
		if ab < max(len(a), len(b))-min(len(a), len(b)) || ab > max(len(a), len(b)) {
			t.Fatalf("distance of %q and %q is %d: outside its bounds", a, b, ab)
		}
	})
}
