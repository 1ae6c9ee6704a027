package main

import (
	"errors"
	"io"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

var errNotYet = errors.New("not supported yet")

func mappingFormats() string { return "csv" }

func (p *program) openTopology() (*topology.Topology, error) { return topology.Parse(p.topology) }

func (p *program) openHosts(t *topology.Topology) (*mapping.Allocation, error) {
	a := &mapping.Allocation{}
	for h := range t.Hosts() {
		a.Hosts = append(a.Hosts, int32(h))
		a.Slots = append(a.Slots, int32(p.ranksPerHost))
	}
	return a, nil
}

func (p *program) openGraph() (*commgraph.Traffic, error) { return nil, errNotYet }

func (p *program) recorded(*commgraph.Traffic, int) (*workload.Program, error) {
	return nil, errNotYet
}

func (p *program) openMapping(string, *job) (mapping.Mapping, error) { return nil, errNotYet }

func (p *program) openMappingOutput() (*output, error) { return p.openOutput(p.output) }

func (p *program) writeMapping(out *output, j *job, m mapping.Mapping) error {
	return out.write(func(io.Writer) error { return nil })
}
