package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"remap/commgraph"
	"remap/input"
	"remap/internal/linescan"
	"remap/launcher"
	"remap/mapping"
	"remap/topology"
)

// mappingFormats are what a mapping can be written as.
func mappingFormats() string { return strings.Join(launcher.Formats(), ", ") }

// openTopology is --topology without the cables of --fail and with those of
// --slow, with what its reader had to assume said on stderr.
func (p *program) openTopology() (*topology.Topology, error) {
	machine, err := topology.Open(p.topology)
	if err != nil {
		return nil, inOption("topology", err)
	}
	if machine, err = topology.Degrade(machine, nil, p.slow.Value()); err != nil {
		return nil, inOption("slow", err)
	}
	if err := p.checkRates(machine); err != nil {
		return nil, err
	}
	if machine, err = topology.Degrade(machine, p.fail.Value(), nil); err != nil {
		return nil, inOption("fail", err)
	}
	const most = 5
	for i, warning := range machine.Warnings {
		if i == most {
			p.hint("topology: %d more remarks", len(machine.Warnings)-most)
			break
		}
		p.hint("topology: %s", oneLine(warning))
	}
	return machine, nil
}

// slowestLink is the least rate that a simulation can count with, in bytes a second.
const slowestLink = 62500

// checkRates refuses links that are too slow to be simulated.
func (p *program) checkRates(machine *topology.Topology) error {
	for i := range machine.Links {
		l := &machine.Links[i]
		if l.BytesPerSecond >= slowestLink {
			continue
		}
		option, hint := "topology", "the default is gbps=100"
		if len(p.slow.Value()) > 0 {
			option, hint = "slow", "a larger FRACTION, or --fail for a cable that carries next to nothing"
		}
		return usage(hint, "--%s: the link from %s to %s has %.2g Gb/s, the least is %g", option,
			machine.NodeName(l.From), machine.NodeName(l.To), l.BytesPerSecond*8/1e9, slowestLink*8/1e9)
	}
	return nil
}

// openHosts is the allocation of --hosts: an expression, a file of them, or
// every host that no other job has taken, in the network's own order. file is
// empty unless it is a file.
func (p *program) openHosts(machine *topology.Topology, taken occupancy) (a *mapping.Allocation, file string, err error) {
	a = &mapping.Allocation{}
	add := func(host, slots int32) {
		a.Hosts = append(a.Hosts, host)
		a.Slots = append(a.Slots, slots)
	}
	if p.hosts == "" {
		for h := range int32(machine.Hosts()) {
			if taken[h] == "" {
				taken[h] = "the job of interest"
				add(h, int32(p.ranksPerHost))
			}
		}
		return a, "", nil
	}
	list, file, err := readHosts(p.hosts)
	if err != nil {
		return nil, "", err
	}
	for _, entry := range list {
		host, known := machine.HostIndex(entry.Name)
		if !known {
			return nil, "", unknownHost(machine, entry.Name, file, lineOf(file, entry.Name))
		}
		slots := entry.Slots
		if slots == 0 {
			slots = int32(p.ranksPerHost)
		}
		if err := taken.claim(machine, host, "--hosts"); err != nil {
			return nil, "", err
		}
		add(host, slots)
	}
	return a, file, nil
}

// maxSlots bounds the slots of a job: beyond it they do not fit the memory.
const maxSlots = 1 << 26

// manySlots is how many slots a host keeps whatever the number of ranks, so that
// mapping files may name them.
const manySlots = 4096

// clipSlots takes away slots that no rank can need, those of one host beyond
// the number of ranks and manySlots, and refuses more than maxSlots. file is
// for the error.
func clipSlots(a *mapping.Allocation, ranks int, file string) error {
	total := 0
	for i := range a.Slots {
		a.Slots[i] = int32(min(int(a.Slots[i]), max(manySlots, ranks)))
		total += int(a.Slots[i])
	}
	if total > maxSlots {
		return &input.Error{File: file, Reason: fmt.Sprintf("%d slots on %d hosts are too many: at most %d", total, len(a.Hosts), maxSlots),
			Hint: "fewer hosts (--hosts), or fewer slots on each (--ranks-per-host)"}
	}
	return nil
}

// readHosts reads what --hosts names; file is empty for an expression.
func readHosts(text string) (list []topology.HostSlots, file string, err error) {
	if _, err := os.Stat(text); err != nil && !strings.ContainsRune(text, os.PathSeparator) {
		list, err := topology.ParseHostList(text)
		return list, "", err
	}
	content, err := commgraph.OpenFile(text)
	if err != nil {
		return nil, "", err
	}
	defer content.Close()
	list, err = topology.ReadHostList(text, content)
	return list, text, err
}

// lineOf finds the line of a host list that names a host; 0 if none does.
func lineOf(path, name string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := linescan.New(path, file); lines.Next(); {
		list, _ := topology.ReadHostList(path, strings.NewReader(lines.Text()))
		if slices.ContainsFunc(list, func(h topology.HostSlots) bool { return h.Name == name }) {
			return lines.Number
		}
	}
	return 0
}

// openGraph is --graph with its counts and units.
func (p *program) openGraph() (*commgraph.Traffic, error) {
	if p.graphFormat != "" && !slices.Contains(commgraph.Formats(), p.graphFormat) {
		return nil, usage("formats: "+strings.Join(commgraph.Formats(), ", "), "--graph-format: unknown format %q", p.graphFormat)
	}
	open := func() (*commgraph.Traffic, error) { return commgraph.Open(p.graph, p.graphFormat) }
	if p.fixture != nil {
		open = p.fixture
	}
	traffic, err := open()
	if err != nil {
		return nil, inOption("graph", err)
	}
	if p.messages != "" {
		counts, err := commgraph.OpenFile(p.messages)
		if err != nil {
			return nil, err
		}
		defer counts.Close()
		if err := commgraph.ReadDenseCounts(traffic, p.messages, counts); err != nil {
			return nil, inOption("messages", err)
		}
	}
	if p.unitBytes != 1 {
		if traffic, err = traffic.Multiply(p.unitBytes); err != nil {
			return nil, inOption("unit-bytes", err)
		}
	}
	return traffic, nil
}

// openMapping reads a mapping of the job's ranks, in whatever format.
func (p *program) openMapping(path string, j *job) (mapping.Mapping, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return launcher.Read(path, file, j.machine, j.allocation, j.traffic.Ranks())
}

// openFixed reads --fixed: a list, or a file.
func (p *program) openFixed(j *job) ([]int32, error) {
	if _, err := os.Stat(p.fixed); err != nil && strings.ContainsRune(p.fixed, '=') {
		return mapping.ParseFixed(p.fixed, j.machine, j.allocation, j.traffic.Ranks())
	}
	file, err := commgraph.OpenFile(p.fixed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail("a list has entries RANK=HOST:SLOT, for example 0=n3:0,5=n4; a file's path is relative to the folder the command runs in", "%w", err)
	case err != nil:
		return nil, err
	}
	defer file.Close()
	return mapping.ReadFixed(p.fixed, file, j.machine, j.allocation, j.traffic.Ranks())
}

// openMappingOutput checks --format and --output before the work.
func (p *program) openMappingOutput() (*output, error) {
	if err := launcher.Check(p.format); err != nil {
		return nil, inOption("format", err)
	}
	return p.openOutput(p.output)
}

// writeMapping writes a mapping where --output says, with the launch line on
// stderr; with --json nowhere else.
func (p *program) writeMapping(out *output, j *job, m mapping.Mapping) error {
	if p.json && !out.toFile() {
		return nil
	}
	err := out.write(func(w io.Writer) error {
		return launcher.Write(w, p.format, j.machine, j.allocation, m)
	})
	if err != nil {
		return err
	}
	path := "FILE"
	if out.toFile() {
		path = out.path
	}
	if line := launcher.LaunchLine(p.format, path, len(m)); line != "" {
		p.say("launch: %s", line)
	}
	return nil
}
