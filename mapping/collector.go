package mapping

import (
	"fmt"

	"remap/input"
	"remap/topology"
)

// RankPlace is one rank's place as a mapping or launcher file states it.
type RankPlace struct {
	Rank int64
	Host string
	// Slot: within the host, from 0.
	Slot int64

	// Line: from 1.
	Line int
	// RankColumn, HostColumn, SlotColumn: byte columns from 1; 0 = not known.
	RankColumn, HostColumn, SlotColumn int
}

// Collector makes a mapping of a file's entries, whatever the file's format,
// and finds what is wrong with them.
type Collector struct {
	file      string
	machine   *topology.Topology
	expected  int
	firstSlot []int32 // length hosts of the machine: first slot, -1 = not in the allocation
	slots     []int32 // length hosts of the machine: slots of the host
	slotOf    []int32 // length slots: of each rank, -1 = not read yet
	lineOf    []int32 // length slots: where each rank was read
	rankOn    []int32 // length slots: of each slot, -1 = free
	ranks     int     // highest rank read + 1
}

// NewCollector prepares for the entries of a file (its name is for errors
// only). expected is the number of ranks, 0 = as many as the file has.
func NewCollector(file string, machine *topology.Topology, a *Allocation, expected int) *Collector {
	c := &Collector{file: file, machine: machine, expected: expected,
		firstSlot: filled(machine.Hosts(), -1), slots: make([]int32, machine.Hosts())}
	var next int32
	for i, h := range a.Hosts {
		c.firstSlot[h], c.slots[h] = next, a.slots(i)
		next += a.slots(i)
	}
	c.slotOf, c.lineOf, c.rankOn = filled(int(next), -1), make([]int32, next), filled(int(next), -1)
	return c
}

func filled(length int, value int32) []int32 {
	list := make([]int32, length)
	for i := range list {
		list[i] = value
	}
	return list
}

// Add takes one entry. Errors, all *input.Error: a rank beyond those expected,
// read twice, an unknown host or one not in the allocation, a slot the host
// does not have or that is taken.
func (c *Collector) Add(e RankPlace) error {
	fail := func(column int, hint, format string, args ...any) error {
		return &input.Error{File: c.file, Line: e.Line, Column: column, Hint: hint,
			Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case e.Rank < 0:
		return fail(e.RankColumn, "ranks count from 0", "rank %d is negative", e.Rank)
	case c.expected > 0 && e.Rank >= int64(c.expected):
		return fail(e.RankColumn, "ranks count from 0; is this the mapping of another "+
			"job?", "rank %d of a job of %d ranks", e.Rank, c.expected)
	case e.Rank >= int64(len(c.slotOf)):
		return fail(e.RankColumn, "give the job more hosts, or more ranks per "+
			"host", "rank %d does not fit the %d slots given", e.Rank, len(c.slotOf))
	case c.slotOf[e.Rank] >= 0:
		return fail(e.RankColumn, "every rank stands in the file "+
			"once", "rank %d was placed already%s", e.Rank, onLine(", ", c.lineOf[e.Rank]))
	}
	h, known := c.machine.HostIndex(e.Host)
	switch {
	case !known:
		return fail(e.HostColumn, "is this the mapping of another machine?", "unknown host %q", e.Host)
	case c.firstSlot[h] < 0:
		return fail(e.HostColumn, "add it to the job's hosts", "host %s is not one of the job's hosts", e.Host)
	case e.Slot < 0 || e.Slot >= int64(c.slots[h]):
		return fail(e.SlotColumn, "slots count from 0 within the host; their number is set with the hosts",
			"slot %d of host %s, which has %d", e.Slot, e.Host, c.slots[h])
	}
	slot := c.firstSlot[h] + int32(e.Slot)
	if other := c.rankOn[slot]; other >= 0 {
		return fail(e.SlotColumn, "two ranks cannot share a slot", "slot %d of host %s was taken already, by "+
			"rank %d%s",
			e.Slot, e.Host, other, onLine(" ", c.lineOf[other]))
	}
	c.slotOf[e.Rank], c.lineOf[e.Rank], c.rankOn[slot] = slot, int32(e.Line), int32(e.Rank)
	c.ranks = max(c.ranks, int(e.Rank)+1)
	return nil
}

// onLine says where something was read, if that is known.
func onLine(before string, line int32) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("%son line %d", before, line)
}

// Free is the lowest free slot of a host, for formats that name none.
func (c *Collector) Free(host string) (slot int64) {
	if h, known := c.machine.HostIndex(host); known && c.firstSlot[h] >= 0 {
		for slot < int64(c.slots[h]) && c.rankOn[c.firstSlot[h]+int32(slot)] >= 0 {
			slot++
		}
	}
	return slot
}

// Mapping is what the entries say. Error (*input.Error): a rank is missing.
func (c *Collector) Mapping() (Mapping, error) {
	ranks := c.ranks
	if c.expected > 0 {
		ranks = c.expected
	}
	if ranks > len(c.slotOf) {
		return nil, &TooFewSlots{Ranks: ranks, Slots: len(c.slotOf), Hosts: c.allocated()}
	}
	for r := range ranks {
		if c.slotOf[r] < 0 {
			return nil, &input.Error{File: c.file, Reason: fmt.Sprintf("rank %d of %d is missing", r, ranks),
				Hint: "every rank needs a place; is the file cut off?"}
		}
	}
	return Mapping(c.slotOf[:ranks:ranks]), nil
}

// Fixed is what the entries say of some of the ranks: length ranks expected,
// slot of each, -1 = not read.
func (c *Collector) Fixed() []int32 {
	fixed := filled(c.expected, -1)
	copy(fixed, c.slotOf)
	return fixed
}

func (c *Collector) allocated() int {
	count := 0
	for _, s := range c.slots {
		if s > 0 {
			count++
		}
	}
	return count
}
