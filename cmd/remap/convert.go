package main

import (
	"context"
	"io"
	"strings"

	"remap/commgraph"
	"remap/topology"
)

const convertExamples = `
  remap convert --mapping job.csv --format openmpi-seq --output job.seq
  remap convert --mapping job.csv --hosts 'n[0-63]' --format cray-rank-order \
      --output MPICH_RANK_ORDER
`

// convert writes a mapping, a graph or a network in another format.
func (p *program) convert(ctx context.Context) error {
	given := 0
	for _, source := range []string{p.mapping, p.Graph, p.Topology} {
		if source != "" {
			given++
		}
	}
	if given != 1 {
		return usage("give one of --mapping, --graph and "+
			"--topology", "%d things to convert are given, not one", given)
	}
	switch {
	case p.mapping != "":
		return p.convertMapping()
	case p.Graph != "":
		t, err := until(ctx, func() (*commgraph.Traffic, error) { return p.openGraph() })
		if err != nil {
			return err
		}
		return p.writeGraph(t)
	}
	return p.convertTopology()
}

func (p *program) convertMapping() error {
	out, err := p.openMappingOutput()
	if err != nil {
		return err
	}
	place, _, err := p.readPlacement(p.mapping, p.mappingFormat)
	if err != nil {
		return err
	}
	if place.Bound {
		p.say("note: processors that %s names, such as 0:1 or 4-7, are not kept; --bind binds anew", p.mapping)
	}
	return p.writePlacement(out, place)
}

// openGraph is --graph with --messages.
func (p *program) openGraph() (*commgraph.Traffic, error) {
	t, err := commgraph.Open(p.Graph, p.GraphFormat)
	if err != nil || p.Messages == "" {
		return t, inGraph(err)
	}
	file, err := commgraph.OpenFile(p.Messages)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return t, commgraph.ReadDenseCounts(t, p.Messages, file)
}

func inGraph(err error) error {
	if err == nil {
		return nil
	}
	return inOption("graph", err)
}

// writeGraph writes traffic in the format of --format, edges by default.
func (p *program) writeGraph(t *commgraph.Traffic) error {
	format := p.format
	if !p.asked {
		format = commgraph.FormatEdges
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	if err := commgraph.CheckWritable(format, t); err != nil {
		return inOption("format", err)
	}
	if lost := commgraph.Lost(format, t); lost != "" {
		p.say("note: a %s file holds no %s", format, lost)
	}
	return out.write(func(w io.Writer) error { return commgraph.Write(w, format, t) })
}

// topologyFormats are what networks can be written as.
var topologyFormats = []string{"ibnetdiscover"}

func (p *program) convertTopology() error {
	if p.asked && p.format != topologyFormats[0] {
		return usage("formats of networks: "+strings.Join(topologyFormats, ", "), "--format: a network cannot be "+
			"written as %q", p.format)
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	machine, err := topology.Open(p.Topology)
	if err != nil {
		return inOption("topology", err)
	}
	p.say("note: an ibnetdiscover file holds no latencies")
	return out.write(func(w io.Writer) error { return topology.WriteIBNetDiscover(w, machine) })
}
