package main

import (
	"fmt"
	"slices"

	"remap/feedback"
)

// gain is the JSON of what the loop has gained over the best static mapping, on
// seeds that the search has not used; low and high are its 95 % interval. It is
// 0 where nothing is proven faster, for then the best static mapping is the result.
type gain struct {
	GainPercent *float64 `json:"gain_percent"`
	GainLow     *float64 `json:"gain_low"`  // null below 6 repeats
	GainHigh    *float64 `json:"gain_high"` //
}

func gainOf(found *feedback.Result) gain {
	if !found.Fresh {
		return gain{}
	}
	g := found.Gain
	if !g.Known {
		return gain{GainPercent: &g.Percent}
	}
	return gain{&g.Percent, &g.Low, &g.High}
}

// sentence says it to people.
func (g gain) sentence(found *feedback.Result) string {
	switch {
	case !found.Fresh:
		return "no gain is told: there was no time to judge on fresh seeds"
	case slices.Equal(found.Best.Mapping, found.Static.Mapping):
		return "feedback has gained nothing that is proven over the best static mapping"
	}
	text := fmt.Sprintf("gain over the best static mapping, on %d fresh seeds: %s", found.Best.Summary.Repeats, gainText(found.Gain))
	if found.Restarts != nil {
		text += fmt.Sprintf("; over blind restarts with as many simulated mappings: %s", gainText(found.OverRestarts))
	}
	return text
}

func gainText(g feedback.Gain) string {
	if !g.Known {
		return fmt.Sprintf("%.1f %% (no interval below 6 repeats)", g.Percent)
	}
	text := fmt.Sprintf("%.1f %% [%.1f, %.1f]", g.Percent, g.Low, g.High)
	if g.Low <= 0 && g.High >= 0 {
		text += ", which may be none"
	}
	return text
}

// boundSentence says where the best time stands; empty when no bound is known.
func boundSentence(b feedback.Bound, best int64) string {
	if b.NS <= 0 {
		return ""
	}
	what := map[string]string{
		"injection":    "the busiest host's link into the network at its full rate",
		"ejection":     "the busiest host's link out of the network at its full rate",
		"heavy rank":   "the host's link of a rank that sends or receives far more than most",
		"taper":        "the busiest links above the leaf switches at their full rate",
		"network":      "the busiest link between switches at its full rate",
		"foreign load": "the links between switches at what other jobs leave of them, estimated",
	}[b.Name]
	whose := "this mapping"
	if b.Any {
		whose = "any mapping"
	}
	above := 100 * max(0, float64(best)/b.NS-1)
	return fmt.Sprintf("bound of %s: %s us by %s (%s): the best is %.1f %% above it", whose, micro(int64(b.NS)), b.Name, what, above)
}
