package mapping

import (
	"errors"
	"fmt"
	"slices"

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

// Reader is what takes the entries of a file as a format's reader finds them: a Collector, or what
// only wants to know the hosts.
type Reader interface {
	// Add takes one entry.
	Add(e RankPlace) error
	// Free is the lowest slot of a host that no entry has taken, for formats that name no slots.
	Free(host string) int64
	// Host is the name of the host of that number, for formats that number the job's hosts.
	Host(number int) (string, error)
	// Slot is the host and the slot within it of that number, for formats that number slots host by host.
	Slot(number int) (host string, slot int64, err error)
	// Ranks is how many ranks there have to be; 0 = as many as the file has.
	Ranks() int
}

// ErrMisplaced is what an *input.Error wraps when a file of the right syntax places ranks where they
// cannot be: on a host or a slot that the job does not have, twice, or nowhere.
var ErrMisplaced = errors.New("ranks cannot be placed as the file says")

// Collector makes a mapping of a file's entries, whatever the file's format,
// and finds what is wrong with them.
type Collector struct {
	file      string
	hosts     []topology.HostSlots
	known     func(name string) bool
	expected  int
	index     map[string]int32 // of each host of the job by name
	firstSlot []int32          // length hosts + 1
	slotOf    []int32          // length slots: of each rank, -1 = not read yet
	lineOf    []int32          // length slots: where each rank was read
	rankOn    []int32          // length slots: of each slot, -1 = free
	freeFrom  []int32          // length hosts: no slot of the host below this one is free
	ranks     int              // highest rank read + 1
}

// NewCollector prepares for the entries of a file (its name is for errors
// only). expected is the number of ranks, 0 = as many as the file has.
func NewCollector(file string, machine *topology.Topology, a *Allocation, expected int) *Collector {
	c := NewHostCollector(file, a.Named(machine), expected)
	c.known = func(name string) bool {
		_, known := machine.HostIndex(name)
		return known
	}
	return c
}

// NewHostCollector is NewCollector for hosts of no known network; every host has slots, none stands twice.
func NewHostCollector(file string, hosts []topology.HostSlots, expected int) *Collector {
	c := &Collector{file: file, hosts: hosts, expected: expected, index: make(map[string]int32, len(hosts)),
		firstSlot: make([]int32, len(hosts)+1), freeFrom: make([]int32, len(hosts))}
	for i, h := range hosts {
		c.index[h.Name], c.firstSlot[i+1] = int32(i), c.firstSlot[i]+h.Slots
	}
	slots := int(c.firstSlot[len(hosts)])
	c.slotOf, c.lineOf, c.rankOn = filled(slots, -1), make([]int32, slots), filled(slots, -1)
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
			Reason: fmt.Sprintf(format, args...), Err: ErrMisplaced}
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
	h, allocated := c.index[e.Host]
	switch {
	case !allocated && c.known != nil && !c.known(e.Host):
		return fail(e.HostColumn, "is this the mapping of another machine?", "unknown host %q", e.Host)
	case !allocated:
		return fail(e.HostColumn, "add it to the job's hosts", "host %s is not one of the job's hosts", e.Host)
	case e.Slot < 0 || e.Slot >= int64(c.hosts[h].Slots):
		return fail(e.SlotColumn, "slots count from 0 within the host; their number is set with the hosts",
			"slot %d of host %s, which has %d", e.Slot, e.Host, c.hosts[h].Slots)
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

// Free is the lowest free slot of a host, for formats that name none; the number of its slots when
// none is free.
func (c *Collector) Free(host string) int64 {
	h, allocated := c.index[host]
	if !allocated {
		return 0
	}
	first, end := c.firstSlot[h], c.firstSlot[h+1]
	for first+c.freeFrom[h] < end && c.rankOn[first+c.freeFrom[h]] >= 0 {
		c.freeFrom[h]++
	}
	return int64(c.freeFrom[h])
}

// Host is the name of a host of the job by its number. Error: there are not so many.
func (c *Collector) Host(number int) (string, error) {
	if number < 0 || number >= len(c.hosts) {
		return "", fmt.Errorf("host %d of a job of %d hosts, which count from 0", number, len(c.hosts))
	}
	return c.hosts[number].Name, nil
}

// Slot is the host of a slot of the job and its number within that host. Error: there are not so many.
func (c *Collector) Slot(number int) (host string, slot int64, err error) {
	if number < 0 || number >= len(c.rankOn) {
		return "", 0, fmt.Errorf("slot %d of a job of %d slots, which count from 0", number, len(c.rankOn))
	}
	h, found := slices.BinarySearch(c.firstSlot, int32(number))
	if !found {
		h--
	}
	return c.hosts[h].Name, int64(number) - int64(c.firstSlot[h]), nil
}

// Ranks is the number of ranks expected, 0 = as many as the file has.
func (c *Collector) Ranks() int { return c.expected }

// Mapping is what the entries say. Error (*input.Error): a rank is missing.
func (c *Collector) Mapping() (Mapping, error) {
	ranks := c.ranks
	if c.expected > 0 {
		ranks = c.expected
	}
	if ranks > len(c.slotOf) {
		return nil, &TooFewSlots{Ranks: ranks, Slots: len(c.slotOf), Hosts: len(c.hosts)}
	}
	for r := range ranks {
		if c.slotOf[r] < 0 {
			return nil, &input.Error{File: c.file, Reason: fmt.Sprintf("rank %d of %d is missing", r, ranks),
				Hint: "every rank needs a place; is the file cut off?", Err: ErrMisplaced}
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
