package main

import (
	"fmt"
	"slices"

	"remap/feedback"
)

// pageGain says for the page what the search has gained: over the best static mapping, and what of it is
// due to feedback. The result must be fresh.
func pageGain(found *feedback.Result) (remarks []string) {
	static := slices.Equal(found.Best.Mapping, found.Static.Mapping)
	switch {
	case static && !learned(found):
		remarks = []string{"the result is the best static mapping: no round of feedback was run"}
	case static:
		remarks = []string{"the result is the best static mapping: of no other one it is proven that it is faster"}
	default:
		text := "the result takes " + timeSaved(found.Gain, "the best static mapping")
		if found.Restarts != nil && slices.Equal(found.Best.Mapping, found.Restarts.Mapping) {
			text = "the result is that of a random restart; it takes " + timeSaved(found.Gain,
				"the best static mapping")
		}
		if found.Gain.Known && !found.Gain.Proven() {
			text += ". It is proven to be faster than the mapping before; of the best static mapping that is not " +
				"proven"
		}
		remarks = []string{text}
	}
	switch {
	case found.Restarts == nil:
	case found.RestartSimulations == 0:
		remarks = append(remarks, "random restarts found no other mapping to try")
	default:
		remarks = append(remarks, fmt.Sprintf("for comparison: with %s and without feedback, the best mapping "+
			"takes %s", countOf(found.RestartSimulations, "random restart"), timeSaved(found.ByRestarts,
			"the best static mapping")), "the best mapping of the search with feedback takes "+
			timeSaved(found.OverRestarts, "the best of the random restarts"))
	}
	return remarks
}

// timeSaved says a gain over something: how much less time, or more, with its interval.
func timeSaved(g feedback.Gain, over string) string {
	text := fmt.Sprintf("%.1f %% less time than %s", g.Percent, over)
	if g.Percent < 0 {
		text = fmt.Sprintf("%.1f %% more time than %s", -g.Percent, over)
	}
	switch {
	case g.Percent == 0 && g.Low == 0 && g.High == 0:
		return "as much time as " + over
	case !g.Known:
		return text + " (below 6 repeats there is no interval, so this may be chance)"
	case g.High < 0:
		return fmt.Sprintf("%s (95 %% interval: %.1f to %.1f %% more)", text, -g.High, -g.Low)
	case g.Proven():
		return fmt.Sprintf("%s (95 %% interval: %.1f to %.1f %% less)", text, g.Low, g.High)
	}
	return fmt.Sprintf("%s (95 %% interval: from %.1f %% more to %.1f %% less, so this may be chance)", text,
		max(0, -g.Low), max(0, g.High))
}
