package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/counters"
	"remap/evalsim"
	"remap/job"
	"remap/topology"
)

const measuredHint = "--measured BEFORE --measured AFTER --measured-seconds N for port counters, up to 5 " +
	"in order of" +
	" time, or up to 4 tables with a header"

func (s *settings) measuredFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "measured", Destination: &s.measuredFiles,
			Usage: "what others do, from the real network in place of --background: port counters (perfquery, " +
				"ibqueryerrors), a `FILE` or folder given 2 to 5 times in order of time, with --measured-seconds; " +
				"or 1 to 4 tables (CSV of LDMS, a links file, from,port,to,seconds,bytes,congested_fraction), each" +
				" of its own time; see docs/counters.md"},
		&cli.StringFlag{Name: "measured-view", Destination: &s.measuredView, Value: remap.AdministratorView,
			Usage: "`WHOSE` columns of --measured are read: " + remap.AdministratorView + " (counts of all " +
				"packets at " +
				"ports), or " + remap.JobView + " (the est_ columns of a links file: what the job's own packets told " +
				"of a " +
				"run with --sampling)"},
		&cli.Float64Flag{Name: "measured-seconds", Destination: &s.measuredSeconds,
			Usage: "`N` seconds from one --measured to the next, or that a table or a single one is of"},
		&cli.StringFlag{Name: "measured-columns", Destination: &s.measuredColumns,
			Usage: "columns of a --measured table whose names say nothing: `ROLE=COLUMN`,... with roles " +
				strings.Join(counters.Roles(), ", ")},
		&cli.IntFlag{Name: "xmit-wait-tick", Destination: &s.xmitWaitTick, Value: -1,
			DefaultText: "by the family of the switch",
			Usage:       "`N`: the Tick of PortXmitWait as perfquery -c prints it, 0 to 255"},
	}
}

// checkMeasured tests the options of a measurement before any file is read.
func (s *settings) checkMeasured(c *cli.Context) error {
	files := s.measuredFiles.Value()
	for _, name := range []string{"measured-view", "measured-seconds", "measured-columns", "xmit-wait-tick"} {
		if c.IsSet(name) && len(files) == 0 {
			return usage(measuredHint, "--%s goes with --measured", name)
		}
	}
	if len(files) == 0 {
		return nil
	}
	if err := s.checkMeasuredView(c); err != nil {
		return err
	}
	switch {
	case len(s.background.Value()) > 0:
		return usage("leave out --background",
			"--measured holds the traffic of other jobs already: with --background it would count twice")
	case len(files) > counters.MostWindows+1:
		return usage(measuredHint, "--measured is given %d times, at most %d times", len(files),
			counters.MostWindows+1)
	case slices.Contains(files, ""):
		return usage(measuredHint, "--measured: the value is empty")
	case c.IsSet("measured-seconds") && !(s.measuredSeconds > 0 && s.measuredSeconds <= 1e9):
		return usage("for example --measured-seconds 60",
			"--measured-seconds must be above 0 and at most 1e9, not %g", s.measuredSeconds)
	case c.IsSet("xmit-wait-tick") && (s.xmitWaitTick < 0 || s.xmitWaitTick > 255):
		return usage("Tick of perfquery -c LID PORT: 7 on Quantum, 31 on SwitchX and Switch-IB",
			"--xmit-wait-tick must be from 0 to 255, not %d", s.xmitWaitTick)
	}
	return nil
}

// openMeasured reads --measured, of a run under the mapping of --previous.
func (p *program) openMeasured(ctx context.Context, j *remap.Environment, simulation evalsim.Options) error {
	files := p.measuredFiles.Value()
	if len(files) == 0 {
		return nil
	}
	if p.measuredView == remap.JobView {
		if err := j.ReadSamples(ctx, files[0], simulation); err != nil {
			return p.outOfBudget(err)
		}
		p.sayOwnSamples(j.Job, j.Measured)
		return nil
	}
	o := counters.Options{Seconds: p.measuredSeconds, Tick: p.xmitWaitTick}
	var err error
	if p.measuredColumns != "" {
		if o.Columns, err = counters.ParseColumns(p.measuredColumns); err != nil {
			return inOption("measured-columns", err)
		}
	}
	if err := j.ReadCounters(ctx, files, o, simulation); err != nil {
		return p.outOfBudget(err)
	}
	p.sayMeasured(j.Job, j.Measured)
	return nil
}

// outOfBudget is the error of a simulation of the mapping that ran.
func (p *program) outOfBudget(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fail("give more time", "--budget %v ended before the first mapping was simulated", p.budget)
	}
	return err
}

// sayMeasured tells what was used of the measurement.
func (p *program) sayMeasured(j *job.Job, m *remap.Measurement) {
	for _, warning := range m.Links.Warnings {
		p.hint("measured: %s", oneLine(warning))
	}
	c := &m.Links.Count
	intervals := ""
	if n := len(m.Windows); n > 0 {
		intervals = fmt.Sprintf(", %d intervals", n)
	}
	p.say("measured: the rates of %d of %d links%s%s", c.Measured, len(j.Machine.Links), intervals, besides(m))
	switch {
	case c.Measured == 0:
		p.say("measured: no link's rate is known: mappings are simulated at the full rates; stalls " +
			"are taken as the congestion of the mapping that ran")
		return
	case m.Factor == 0:
		p.hint("measured: no link of the job's hosts tells how much the job itself sent: all " +
			"traffic is taken as others'. Did the job run, under --previous, on these hosts?")
	default:
		p.say("measured: the job's traffic passed %.4g times a second, by %d links of its hosts", m.Factor, m.Hosts)
	}
	if !between(m, j.Machine) {
		p.hint("measured: no link between switches was measured: counters of hosts alone do not say " +
			"what others do there")
	}
	p.say("measured: %s", busiest(m, j.Machine))
	if o := m.Others; o != nil {
		p.say("measured: mappings are simulated beside traffic of %d hosts of others (%s): beside the "+
			"mapping that ran it brings links between switches bytes that differ by %.0f %%, waits by %.0f %%",
			o.Hosts, o.Name, 100*o.Bytes, 100*o.Stall)
		p.sayWindows(m)
		return
	}
	p.sayWindows(m)
	p.say("measured: mappings are simulated with links at the rates that others leave, at least 5 %%: " +
		"no traffic between others' hosts was found that brings links what was measured")
}

// sayWindows tells whether simulations are beside the intervals of the measurement.
func (p *program) sayWindows(m *remap.Measurement) {
	n, silent := len(m.Windows), ""
	switch {
	case n == 0:
	case m.Others == nil:
		p.say("measured: the %d intervals are not used: links are slowed by the mean over the whole time", n)
	case m.Others.Windows == 0:
		p.say("measured: the %d intervals are not used: no traffic was found that brings links what each has; "+
			"others are"+
			" simulated by the mean over the whole time", n)
	default:
		if m.Others.Silent > 0 {
			silent = fmt.Sprintf("; in %d of them others send nothing", m.Others.Silent)
		}
		p.say("measured: repeats take the %d intervals in turn%s", n, silent)
	}
}

// between tells whether any link between switches was measured, or there is none.
func between(m *remap.Measurement, machine *topology.Topology) bool {
	any := false
	for l := range machine.Links {
		if link := &machine.Links[l]; !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			if any = true; m.Links.Known[l] {
				return true
			}
		}
	}
	return !any
}

// besides lists what else there is to tell of the ports, each where there is any.
func besides(m *remap.Measurement) string {
	c, text := &m.Links.Count, ""
	for _, one := range []struct {
		count int
		what  string
	}{
		{c.FarEnd, "told by the far end"}, {m.Alike, "not measured and taken as others of their kind"},
		{m.Idle, "not measured and taken as idle"}, {c.Missing, "ports missing"},
		{c.Dead, "empty files"}, {c.Saturated, "saturated"}, {c.Reset, "reset"},
		{c.Clamped, "above their rate"}, {c.Strange, "not in the network"},
	} {
		if one.count > 0 {
			text += fmt.Sprintf(", %d %s", one.count, one.what)
		}
	}
	return text
}

// busiest names the link that others use most.
func busiest(m *remap.Measurement, machine *topology.Topology) string {
	l := m.Busiest()
	if l < 0 || m.Foreign[l] < 0.005 {
		return "others use next to nothing of any link"
	}
	link := &machine.Links[l]
	busy := 0
	for _, foreign := range m.Foreign {
		if foreign >= 0.1 {
			busy++
		}
	}
	return fmt.Sprintf("others use %.0f %% of the link from %s port %d to %s, the busiest, and 10 %% or "+
		"more of "+
		"%d links",
		100*m.Foreign[l], machine.NodeName(link.From), link.FromPort, machine.NodeName(link.To), busy)
}
