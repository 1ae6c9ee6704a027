package main

import (
	"fmt"

	"remap/workload"
)

// floor is the time no mapping can beat, and why.
type floor struct {
	Bound   string `json:"bound,omitempty"`    // injection or ejection; empty when no floor is known
	BoundNS int64  `json:"bound_ns,omitempty"` // at the simulated volumes
}

// floor is the longer of two times at the best host's full rate: that of the
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
	sends, receives := workload.InjectionBound(j.program, rail, host), workload.EjectionBound(j.program, host)
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

// scaled is the line below tables with times of a job whose volumes
// --max-packets has scaled; empty for others.
func (j *job) scaled() string {
	scale := j.program.VolumeScale
	if scale == 1 || scale <= 0 {
		return ""
	}
	whose := "pattern's"
	if j.recorded {
		whose = "recorded"
	}
	return fmt.Sprintf("times are for %.3g of the %s volume (--max-packets), and so is max link us", scale, whose)
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
