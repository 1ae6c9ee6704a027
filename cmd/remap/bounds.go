package main

import (
	"fmt"

	"remap/job"
	"remap/workload"
)

// hostBoundSentence says where the best time stands; empty when no bound is known.
func hostBoundSentence(f job.HostBound, best int64) string {
	if !f.Known() {
		return ""
	}
	what := "the busiest rank's messages at the full rate of a host"
	if f.Bound == "ejection" {
		what = "what the busiest rank receives at the full rate of a host"
	}
	above := 100 * max(0, float64(best)/float64(f.BoundNS)-1)
	return fmt.Sprintf("no mapping is faster than %s us (%s): the best is %.1f %% above it",
		micro(f.BoundNS), what, above)
}

// scaled is the line below tables with times of a job of which --max-packets lets
// a part be simulated; empty for others.
func scaled(j *job.Job) string {
	if j.Program.Smaller == nil {
		return ""
	}
	whose := "pattern"
	if j.Recorded {
		whose = "recorded traffic"
	}
	return fmt.Sprintf("times are those of the full volume, extrapolated from %.3g and %.3g of the %s "+
		"(--max-packets %d a rank)", j.Program.Smaller.VolumeScale, j.Program.VolumeScale, whose, j.MaxPackets)
}

// unsettled tells of pairs of rows, all of one job, whose order at the full volume
// two simulated volumes do not settle.
func unsettled(rows []*outcome) []string {
	var all []string
	for i, a := range rows {
		for _, b := range rows[:i] {
			if why := a.Summary.Unsettled(&b.Summary); why != "" {
				all = append(all, fmt.Sprintf("the order of %s and %s is not settled at the full volume: %s",
					b.Strategy, a.Strategy, why))
			}
		}
	}
	return all
}

// sayUnsettled tells people of them, with what would settle the order.
func (p *program) sayUnsettled(warnings []string) {
	const most = 3
	for i, warning := range warnings {
		if i == most {
			p.hint("%d more pairs of mappings are not settled", len(warnings)-most)
			break
		}
		p.hint("%s", warning)
	}
	if len(warnings) > 0 {
		p.hint("--max-packets %d or more --repeats may tell", min(8*p.MaxPackets, workload.MaxPackets))
	}
}

// lines joins the lines that are not empty.
func lines(all ...string) string {
	text := ""
	for _, line := range all {
		if text != "" && line != "" {
			text += "\n"
		}
		text += line
	}
	return text
}

// pathBoundSentence says how far an average path length is above the bound; empty when
// none is known.
func pathBoundSentence(b job.PathBound, length float64) string {
	if b.PathBound == 0 {
		return ""
	}
	return fmt.Sprintf("no mapping of this %s grid has paths shorter than %.4f: these are %.1f %% above",
		b.Grid, b.PathBound, 100*max(0, length/b.PathBound-1))
}
