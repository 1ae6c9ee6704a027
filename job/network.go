package job

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"remap/commgraph"
	"remap/input"
	"remap/internal/linescan"
	"remap/internal/nearest"
	"remap/mapping"
	"remap/topology"
)

// SlowestLink is the least rate that a simulation can count with, in bytes a second.
const SlowestLink = 62500

// openNetwork is the network without the cables of Fail and with those of Slow.
func (j *Job) openNetwork(o *Options) error {
	if o.Topology == "" {
		return Usage("for example --topology tapered, or an ibnetdiscover file", "--topology is missing")
	}
	machine, err := topology.Open(o.Topology)
	if err != nil {
		return InOption("topology", err)
	}
	if machine, err = topology.Degrade(machine, nil, o.Slow); err != nil {
		return InOption("slow", err)
	}
	if err := checkRates(machine, o); err != nil {
		return err
	}
	if machine, err = topology.Degrade(machine, o.Fail, nil); err != nil {
		return InOption("fail", err)
	}
	j.Machine = machine
	const most = 5
	for i, warning := range machine.Warnings {
		if i == most {
			j.warn("topology: %d more remarks", len(machine.Warnings)-most)
			break
		}
		j.warn("topology: %s", warning)
	}
	if (o.Routing == "valiant" || o.Routing == "ugal") && len(machine.Routes.Intermediate) == 0 {
		return Usage("the default is --routing adaptive",
			"--routing %s: the network %s has no ways but the shortest; it is for dragonfly and hyperx",
			o.Routing, machine.Name)
	}
	return nil
}

// checkRates refuses links that are too slow to be simulated.
func checkRates(machine *topology.Topology, o *Options) error {
	for i := range machine.Links {
		l := &machine.Links[i]
		if l.BytesPerSecond >= SlowestLink {
			continue
		}
		option, hint := "topology", "the default is gbps=100"
		if len(o.Slow) > 0 {
			option, hint = "slow", "a larger FRACTION, or --fail for a cable that carries next to nothing"
		}
		return Usage(hint, "--%s: the link from %s to %s has %.2g Gb/s, the least is %g", option,
			machine.NodeName(l.From), machine.NodeName(l.To), l.BytesPerSecond*8/1e9, SlowestLink*8/1e9)
	}
	return nil
}

// occupancy says which job has a host, by topology host; empty = none.
type occupancy []string

// claim gives a named host to a job, and refuses one that another has.
func (o occupancy) claim(machine *topology.Topology, host int32, job string) error {
	if o[host] != "" && o[host] != job {
		return Usage("every host belongs to one job: name others, by --hosts or behind the @ of --background",
			"host %s is given to both %s and %s", machine.HostNames[host], o[host], job)
	}
	o[host] = job
	return nil
}

// openHosts makes the allocation of Hosts: an expression, a file of them, or
// every host that no other job has taken, in the network's own order. file is
// empty unless it is a file.
func (j *Job) openHosts(o *Options, taken occupancy) (file string, err error) {
	a := &mapping.Allocation{}
	j.Allocation = a
	add := func(host, slots int32) {
		a.Hosts = append(a.Hosts, host)
		a.Slots = append(a.Slots, slots)
	}
	if o.Hosts == "" {
		for h := range int32(j.Machine.Hosts()) {
			if taken[h] == "" {
				taken[h] = "the job of interest"
				add(h, int32(o.RanksPerHost))
			}
		}
		return "", nil
	}
	list, file, err := readHosts(o.Hosts)
	if err != nil {
		return "", err
	}
	for _, entry := range list {
		host, known := j.Machine.HostIndex(entry.Name)
		if !known {
			return "", unknownHost(j.Machine, entry.Name, file, lineOf(file, entry.Name))
		}
		slots := entry.Slots
		if slots == 0 {
			slots = int32(o.RanksPerHost)
		}
		if err := taken.claim(j.Machine, host, "--hosts"); err != nil {
			return "", err
		}
		add(host, slots)
	}
	return file, nil
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
		return &input.Error{File: file,
			Reason: fmt.Sprintf("%d slots on %d hosts are too many: at most %d",
				total, len(a.Hosts), maxSlots),
			Hint: "fewer hosts (--hosts), or fewer slots on each (--ranks-per-host)"}
	}
	return nil
}

// readHosts reads a list of hosts or a file of them; file is empty for an expression.
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

// NamedHosts are the hosts of a list or a file of them, by name, for jobs whose network does not matter:
// those without slots of their own have slots each. Errors: those of the list, and more than 2^24 slots.
func NamedHosts(text string, slots int) ([]topology.HostSlots, error) {
	const most = 1 << 24
	hosts, file, err := readHosts(text)
	if err != nil {
		return nil, err
	}
	total := 0
	for i := range hosts {
		if hosts[i].Slots == 0 {
			hosts[i].Slots = int32(slots)
		}
		if total += int(hosts[i].Slots); total > most {
			return nil, &input.Error{File: file, Reason: fmt.Sprintf("more than %d slots on %d "+
				"hosts", most, len(hosts)),
				Hint: "as many slots as the job has ranks are enough"}
		}
	}
	return hosts, nil
}

// unknownHost is the error of a host that the network does not have.
func unknownHost(machine *topology.Topology, name, file string, line int) error {
	hint := fmt.Sprintf("the network has %d hosts, from %s to %s", machine.Hosts(),
		machine.HostNames[0], machine.HostNames[machine.Hosts()-1])
	if near := nearest.Name(name, machine.HostNames); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return &input.Error{File: file, Line: line, Hint: hint,
		Reason: fmt.Sprintf("unknown host %q: it is not in the network %s", name, machine.Name)}
}
