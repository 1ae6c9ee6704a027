package main

import (
	"fmt"

	"remap/workload"
)

// floor is the time no mapping can beat, and why.
type floor struct {
	Bound   string `json:"bound,omitempty"`    // injection or ejection; empty when no floor is known
	BoundNS int64  `json:"bound_ns,omitempty"` // at the full volume
}

// floor is the longer of two times of the full volume at the best host's full rate: that of the
// busiest sender, of whose messages each leaves over one rail, and that of the
// busiest receiver, which all rails serve. It binds only where every message
// leaves its host: not with several slots on one.
func (j *job) floor() floor {
	for _, slots := range j.allocation.Slots {
		if slots != 1 {
			return floor{}
		}
	}
	var rail, host float64
	for _, h := range j.allocation.Hosts {
		sum := 0.0
		for first, end := j.machine.Out(h); first < end; first++ {
			rate := j.machine.Links[first].BytesPerSecond
			rail = max(rail, rate)
			sum += rate
		}
		host = max(host, sum)
	}
	sends, receives := workload.InjectionBound(j.whole, rail, host), workload.EjectionBound(j.whole, host)
	switch {
	case max(sends, receives) <= 0:
		return floor{}
	case receives > sends:
		return floor{"ejection", receives.Nanoseconds()}
	}
	return floor{"injection", sends.Nanoseconds()}
}

// known tells whether there is a floor.
func (f floor) known() bool { return f.Bound != "" }

// unless is the floor, or none where a time beats it by more than the nanosecond of
// rounding: an extrapolation to the full volume can.
func (f floor) unless(best int64) floor {
	if best+1 < f.BoundNS {
		return floor{}
	}
	return f
}

// sentence says where the best time stands; empty when no floor is known.
func (f floor) sentence(best int64) string {
	if !f.known() {
		return ""
	}
	what := "the busiest rank's messages at the full rate of a host"
	if f.Bound == "ejection" {
		what = "what the busiest rank receives at the full rate of a host"
	}
	above := 100 * max(0, float64(best)/float64(f.BoundNS)-1)
	return fmt.Sprintf("no mapping is faster than %s us (%s): the best is %.1f %% above it", micro(f.BoundNS), what, above)
}

// scaled is the line below tables with times of a job of which --max-packets lets
// a part be simulated; empty for others.
func (j *job) scaled() string {
	if j.program.Smaller == nil {
		return ""
	}
	whose := "pattern"
	if j.recorded {
		whose = "recorded traffic"
	}
	return fmt.Sprintf("times are those of the full volume, extrapolated from %.3g and %.3g of the %s (--max-packets %d a rank)",
		j.program.Smaller.VolumeScale, j.program.VolumeScale, whose, j.maxPackets)
}

// unsettled tells of pairs of rows, all of one job, whose order at the full volume
// two simulated volumes do not settle.
func unsettled(rows []*simulated) []string {
	var all []string
	for i, a := range rows {
		for _, b := range rows[:i] {
			if why := a.Summary.Unsettled(&b.Summary); why != "" {
				all = append(all, fmt.Sprintf("the order of %s and %s is not settled at the full volume: %s", b.Strategy, a.Strategy, why))
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
		p.hint("--max-packets %d or more --repeats may tell", min(8*p.maxPackets, workload.MaxPackets))
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
