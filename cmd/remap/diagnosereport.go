package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/diagnosis"
	"remap/launcher"
)

// causeNames are causes as people say them.
var causeNames = map[diagnosis.Cause]string{diagnosis.ByMapping: "the mapping",
	diagnosis.ByPattern: "the communication pattern", diagnosis.ByOthers: "traffic of others",
	diagnosis.None: "nothing"}

// diagnosisSentence is the verdict in a sentence.
func diagnosisSentence(r *diagnoseResult) string {
	if r.Cause == diagnosis.None {
		if r.Slowdown == nil {
			return "no congestion holds the job up"
		}
		return fmt.Sprintf("no congestion holds the job up: its own sends need %.0f %% of its time",
			100*r.Needs.Injection)
	}
	var parts []string
	for _, c := range diagnosis.Causes() {
		switch {
		case r.Shares[c] == 0:
		case r.Slowdown == nil:
			parts = append(parts, fmt.Sprintf("%s (%.0f %% of the packets that wait)", causeNames[c], 100*r.Shares[c]))
		default:
			parts = append(parts, fmt.Sprintf("%s (%.2f times as long)", causeNames[c], r.Slowdown[c]))
		}
	}
	return "the job is slowed by " + strings.Join(parts, " and ")
}

// mostRoots is how many roots people are shown.
const mostRoots = 8

// report has the roots, above them the causes, and below the evidence.
func (r *diagnoseResult) report() *report {
	out := &report{value: r, csvHeader: []string{"link", "from", "to", "congested_fraction", "own_gbps", "gbps",
		"waits", "cause"}}
	out.table.header = []string{"root of congestion", "cause", "congested %", "own Gb/s", "of", "waiting %"}
	for i, root := range r.Roots {
		own := ""
		if root.Own != nil {
			own = number(*root.Own)
		}
		out.csvRows = append(out.csvRows, []string{whole(int64(root.Link)), root.From, root.To,
			number(root.Congested), own, number(root.Gbps), number(root.Waits), string(root.Cause)})
		if i < mostRoots {
			if root.Own != nil {
				own = fmt.Sprintf("%.3g", min(*root.Own, root.Gbps))
			}
			out.table.add(root.From+" to "+root.To, string(root.Cause), fmt.Sprintf("%.0f", 100*root.Congested), own,
				fmt.Sprintf("%.3g", root.Gbps), fmt.Sprintf("%.1f", 100*root.Waits))
		}
	}
	if len(r.Parts) > 0 {
		g := grid{header: []string{"part", "cause", "mapping", "pattern", "others", "hot links", "first root"}}
		for _, part := range r.Parts {
			first := ""
			if len(part.Roots) > 0 {
				first = part.Roots[0].From + " to " + part.Roots[0].To
			}
			cells := []string{part.Name, string(part.Cause)}
			for _, c := range diagnosis.Causes() {
				cells = append(cells, fmt.Sprintf("%.2f", part.Shares[c]))
			}
			g.add(append(cells, whole(int64(part.HotLinks)), first)...)
		}
		out.more = append(out.more, g)
	}
	out.above = r.sentence
	var said []string
	for _, e := range r.Evidence {
		said = append(said, "- "+e)
	}
	if r.Next != "" {
		said = append(said, "next: "+r.Next)
	}
	out.under = lines(said...)
	return out
}

// next is a command that does something about the cause.
func (p *program) next(d *remap.Diagnosis) string {
	switch {
	case d.Cause == diagnosis.None:
		return ""
	case d.Cause == diagnosis.ByPattern && p.byCallSite:
		return p.again("simulate", "mapping", "strategy") + " --by-call-site --links sites.csv"
	case d.Cause == diagnosis.ByPattern && d.Results != nil:
		return p.again("diagnose", "mapping", "strategy") + " --by-call-site"
	}
	command := p.again("optimize")
	if p.mapping != "" {
		command += " --previous " + launcher.Quote(p.mapping)
	}
	return command + " --output better.csv"
}

// again is a command with those options of the command line that describe the job, and some more.
func (p *program) again(command string, more ...string) string {
	words := []string{"remap", command}
	known := map[string]bool{}
	for _, f := range join(p.scenarioFlag(), p.machineFlags(), p.trafficFlags(), p.backgroundFlags(),
		p.measuredFlags(), p.routingFlag(), p.simulationFlags()) {
		known[f.Names()[0]] = true
	}
	for _, name := range more {
		known[name] = true
	}
	for _, f := range p.context.Command.Flags {
		name := f.Names()[0]
		if _, ours := p.origins[name]; ours || !known[name] || !p.context.IsSet(name) {
			continue
		}
		switch v := p.context.Value(name).(type) {
		case cli.StringSlice:
			for _, one := range v.Value() {
				words = append(words, "--"+name, one)
			}
		case bool:
			words = append(words, fmt.Sprintf("--%s=%v", name, v))
		default:
			words = append(words, "--"+name, fmt.Sprint(v))
		}
	}
	for i, word := range words {
		words[i] = launcher.Quote(word)
	}
	return strings.Join(words, " ")
}
