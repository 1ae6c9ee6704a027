package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"remap/commgraph"
	"remap/internal/nearest"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

var errNotYet = errors.New("not supported yet")

// formats are what a mapping can be written as; the first two can be read back.
func formats() []string { return []string{"csv", "json"} }

func mappingFormats() string { return strings.Join(formats(), ", ") }

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

// openMapping reads a native mapping of the job's ranks, csv or json by content.
func (p *program) openMapping(path string, j *job) (mapping.Mapping, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content := bufio.NewReader(file)
	read := mapping.ReadCSV
	if begin, _ := content.Peek(1); len(begin) == 1 && begin[0] == '{' {
		read = mapping.ReadJSON
	}
	return read(path, content, j.machine, j.allocation, j.traffic.Ranks())
}

// openMappingOutput checks --format and --output before the work.
func (p *program) openMappingOutput() (*output, error) {
	if !slices.Contains(formats(), p.format) {
		hint := "formats: " + mappingFormats()
		if near := nearest.Name(p.format, formats()); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, usage(hint, "--format: unknown format %q", p.format)
	}
	return p.openOutput(p.output)
}

// writeMapping writes a mapping where --output says, and with --json nowhere else.
func (p *program) writeMapping(out *output, j *job, m mapping.Mapping) error {
	if p.json && !out.toFile() {
		return nil
	}
	return out.write(func(w io.Writer) error {
		if p.format == "json" {
			return mapping.WriteJSON(w, j.machine, j.allocation, m)
		}
		return mapping.WriteCSV(w, j.machine, j.allocation, m)
	})
}
