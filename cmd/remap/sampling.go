package main

import (
	"slices"

	"remap"
	"remap/evalsim"
	"remap/sampling"
	_ "remap/sampling/bloom" // the hash of variants bloom:BITS
)

// needSamples are the options given that are nothing without samples.
func (p *program) needSamples() (names []string) {
	for _, option := range []struct {
		name  string
		given bool
	}{{"by-phase", p.byPhase}, {"by-tag", p.byTag}, {"by-call-site", p.byCallSite},
		{"samples", p.samples != ""}, {"view", p.view == "administrator"}} {
		if option.given {
			names = append(names, "--"+option.name)
		}
	}
	return names
}

// checkSampling tests that packets carry samples if a file must have them.
func (p *program) checkSampling() error {
	if need := p.needSamples(); p.Sampling == "off" && len(need) > 0 {
		return usage("leave out --sampling off, or choose a variant",
			"--sampling off: there are no samples for %s", need[0])
	}
	return nil
}

// sayUnused tells of --sampling without a file to show it, and of a file that
// shows nothing for want of it.
func (p *program) sayUnused(j *remap.Environment) {
	need := p.needSamples()
	switch {
	case len(j.Background) > 0: // they are needed for the verdict
	case p.Sampling == "" && slices.Equal(need, []string{"--view"}):
		p.hint("--view administrator changes nothing without --sampling: the est_ columns are empty")
	case p.Sampling != "" && p.Sampling != "off" && p.links == "" && p.samples == "":
		p.hint("--sampling changes nothing here: --links FILE has what receivers conclude, --samples FILE " +
			"what packets carry")
	}
}

// sayStopped tells of hop counters that were too small for the paths.
func (p *program) sayStopped(o *evalsim.Options, results []*evalsim.Result) {
	v, longer := o.Sampling, o.Routing == evalsim.Valiant || o.Routing == evalsim.UGAL
	if v.Kind == sampling.Off || v.Kind == sampling.Bloom || v.Kind == sampling.OneReservoir && !longer {
		return // the others' counts are corrected, or do not need it
	}
	for _, r := range results {
		for i, t := range r.Samples {
			if t.Received.Hops < r.Jobs[i].PortHops {
				what := "counts of congested packets"
				if longer {
					what = "all counts"
				}
				p.hint("--sampling: hop counters of %d bits stop at %d and packets crossed more switch ports: %s "+
					"may be estimated too low", v.Counter, v.Limit(), what)
				return
			}
		}
	}
}

// categories tells whether rows of phases, tags or call sites are asked for.
func (p *program) categories() bool { return p.byPhase || p.byTag || p.byCallSite }
