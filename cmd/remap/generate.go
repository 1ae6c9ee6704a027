package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"remap/commgraph"
	"remap/fixtures"
	"remap/workload"
)

const generateExamples = `
  remap generate --pattern stencil2d:8x8 --format metis --output stencil.graph
  remap generate --topology torus:4x4x4 --output torus.txt
`

// generate writes a pattern, a network or a scenario to a file.
func (p *program) generate(ctx context.Context) error {
	given := 0
	for _, source := range []string{p.Pattern, p.Topology, p.scenario} {
		if source != "" {
			given++
		}
	}
	if given != 1 {
		return usage("give one of --pattern, --topology and --scenario", "%d things to generate are given, not one",
			given)
	}
	switch {
	case p.Pattern != "":
		t, err := until(ctx, func() (*commgraph.Traffic, error) {
			program, err := workload.ParsePattern(p.Pattern)
			if err != nil {
				return nil, err
			}
			return program.Traffic()
		})
		if err != nil {
			return inOption("pattern", err)
		}
		return p.writeGraph(t)
	case p.Topology != "":
		return p.convertTopology()
	}
	return p.generateScenario()
}

// generateScenario writes a ready-made scenario as a file that --scenario takes; recorded traffic goes to
// an edge list beside it.
func (p *program) generateScenario() error {
	if p.asked && p.format != "toml" {
		return usage("format of scenarios: toml", "--format: a scenario cannot be written as %q", p.format)
	}
	s, err := fixtures.Find(p.scenario)
	if err != nil {
		return inOption("scenario", err)
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	recorded := s.Pattern == ""
	p.scenario = s.Name
	values := map[string]any{}
	for _, setting := range p.ours(s) {
		switch {
		case setting.Name == "background" || setting.Name == "fail" || setting.Name == "slow":
			if len(setting.Values) > 0 {
				values[setting.Name] = setting.Values
			}
		default:
			values[setting.Name] = setting.Values[0]
		}
	}
	if recorded {
		if !out.toFile() {
			return usage("--output FILE.toml", "scenario %s has recorded traffic, which needs a file of "+
				"its own", s.Name)
		}
		if err := p.writeRecorded(out, values); err != nil {
			return err
		}
	}
	return out.write(func(w io.Writer) error { return toml.NewEncoder(w).Encode(values) })
}

// writeRecorded writes the traffic of a recorded scenario, and names its file among the options.
func (p *program) writeRecorded(out *output, values map[string]any) error {
	traffic, err := fixtures.Heat64()
	if err != nil {
		return err
	}
	graph, err := p.openOutput(out.path + ".csv")
	if err != nil {
		return err
	}
	values["graph"] = filepath.Base(graph.path)
	return graph.write(func(w io.Writer) error { return commgraph.WriteEdgeList(w, traffic) })
}
