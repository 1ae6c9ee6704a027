package main

import (
	"fmt"
	"slices"

	"remap/feedback"
)

// gain is the JSON of what the loop has gained over the best static mapping, on
// seeds that the search has not used; low and high are its 95 % interval. It is
// 0 where the best static mapping is the result.
type gain struct {
	GainPercent *float64 `json:"gain_percent"`
	GainLow     *float64 `json:"gain_low"`  // null below 6 repeats
	GainHigh    *float64 `json:"gain_high"` //
}

func gainOf(found *feedback.Result) gain {
	if !found.Fresh {
		return gain{}
	}
	return newGain(found.Gain)
}

// parts tells what selection gains, over the best static mapping, and what feedback gains
// beyond; nil without restarts.
func parts(found *feedback.Result) (selection, beyond *gain) {
	if !found.Fresh || found.Restarts == nil {
		return nil, nil
	}
	a, b := newGain(found.ByRestarts), newGain(found.OverRestarts)
	return &a, &b
}

func newGain(g feedback.Gain) gain {
	if !g.Known {
		return gain{GainPercent: &g.Percent}
	}
	return gain{&g.Percent, &g.Low, &g.High}
}

// sentence says it to people; the result must be fresh.
func (g gain) sentence(found *feedback.Result) string {
	text := fmt.Sprintf("gain over the best static mapping on %d fresh seeds: %s",
		found.Best.Summary.Repeats, gainText(found.Gain))
	switch {
	case slices.Equal(found.Best.Mapping, found.Static.Mapping) && !learned(found):
		text = "the best static mapping is the result: no round of feedback was run"
	case slices.Equal(found.Best.Mapping, found.Static.Mapping):
		text = "nothing is proven faster than the best static mapping"
	case found.Restarts != nil && slices.Equal(found.Best.Mapping, found.Restarts.Mapping):
		text += ", by a random restart"
	}
	if !slices.Equal(found.Best.Mapping, found.Static.Mapping) && found.Gain.Known && !found.Gain.Proven() {
		text += ", but it is proven faster than the start, and the best static mapping is not"
	}
	switch {
	case found.Restarts == nil:
	case found.RestartSimulations == 0:
		text += "; random restarts tried no other mapping"
	default:
		text += fmt.Sprintf("; %s alone gain %s; feedback beyond that: %s",
			countOf(found.RestartSimulations, "random restart"), gainText(found.ByRestarts),
			gainText(found.OverRestarts))
	}
	return text
}

// learned tells whether any mapping was made by feedback.
func learned(found *feedback.Result) bool {
	return slices.ContainsFunc(found.Candidates, func(c feedback.Candidate) bool { return c.Round > 0 })
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func gainText(g feedback.Gain) string {
	if !g.Known {
		return fmt.Sprintf("%.1f %% (no interval below 6 repeats)", g.Percent)
	}
	text := fmt.Sprintf("%.1f %% [%.1f, %.1f]", g.Percent, g.Low, g.High)
	switch {
	case g.Proven():
		return text
	case g.High < 0:
		return text + ", a loss"
	}
	return text + ", which proves none"
}

// boundSentence says where the best time stands; empty when no bound is known.
func boundSentence(b feedback.Bound, best int64) string {
	if b.NS <= 0 {
		return ""
	}
	what := map[string]string{
		"injection":  "the busiest host's link into the network at its full rate",
		"ejection":   "the busiest host's link out of the network at its full rate",
		"heavy rank": "the link of the host whose rank sends or receives far more than most",
		"taper":      "the links above the busiest leaf switch or pod at their full rate",
		"network":    "the links of the busiest switch or group at their full rate",
		"minimal paths": "the links that no shortest path between two switches or groups avoids, at their full " +
			"rate",
		"static routes": "the busiest link of the static routes at its full rate",
		"memory":        "the memory of the host whose ranks send each other the most",
		"foreign load":  "links between switches, estimated",
	}[b.Name]
	whose := "this mapping is not faster than"
	switch {
	case b.Name == "foreign load":
		whose = "at what other jobs leave free this mapping needs about"
	case b.Any:
		whose = "no mapping is faster than"
	}
	times := float64(best) / b.NS
	stands := fmt.Sprintf("%.1f %% above that", 100*max(0, times-1))
	if times >= 2 {
		stands = fmt.Sprintf("%.1f times that", times)
	}
	return fmt.Sprintf("%s %s us (%s: %s); the best is %s", whose, micro(int64(b.NS)), b.Name, what, stands)
}
