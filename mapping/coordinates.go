package mapping

import (
	"fmt"

	"remap/commgraph"
	"remap/topology"
)

// AtCoordinates is the mapping that a profile was recorded with: every rank on
// the torus or mesh switch of its coordinates. Of c's numbers the first are the
// dimensions of the machine, in its order. If there is one more it is the core:
// core k takes the k-th slot of the allocation at that switch, in slot order;
// if not, ranks at one switch take its slots in order of their numbers.
//
// Errors: a machine that is no torus or mesh or of other dimensions, a rank
// whose place is not known or outside the machine, a core without slot, two
// ranks on one slot. O(slots + ranks).
func AtCoordinates(machine *topology.Topology, a *Allocation, c *commgraph.Coordinates) (Mapping, error) {
	if machine.Routes == nil || machine.Routes.Grid == nil {
		return nil, fmt.Errorf("coordinates are places on a torus or mesh, which %s is not", machine.Name)
	}
	grid := machine.Routes.Grid
	d := int(grid.Dimensions)
	if c.Dimensions != d && c.Dimensions != d+1 {
		return nil, fmt.Errorf("%d coordinates a rank for the %d dimensions of %s: must be as many, or one "+
			"more for the core", c.Dimensions, d, machine.Name)
	}
	first, slots := slotsBySwitch(machine, a)
	next := make([]int32, machine.Switches()) // slots taken, where there is no core
	taken := make([]bool, a.SlotCount())
	m := make(Mapping, c.Ranks())
	for r := range m {
		place := c.Of(int32(r))
		if place == nil {
			return nil, fmt.Errorf("rank %d has no coordinates", r)
		}
		sw, ok := switchAt(grid, place[:d])
		if !ok {
			return nil, fmt.Errorf("rank %d is at %v, outside the extents %v "+
				"of %s", r, place[:d], grid.Extents, machine.Name)
		}
		core := next[sw]
		next[sw]++
		if c.Dimensions > d {
			core = place[d]
		}
		if here := first[sw+1] - first[sw]; core < 0 || core >= here {
			return nil, fmt.Errorf("rank %d is at %v on core %d, where the allocation has %d "+
				"slots", r, place[:d], core, here)
		}
		slot := slots[first[sw]+core]
		if taken[slot] {
			return nil, fmt.Errorf("rank %d is at %v, and so is another rank", r, place)
		}
		taken[slot] = true
		m[r] = slot
	}
	return m, nil
}

// slotsBySwitch lists the slots by the switch that their host hangs on: those
// of switch s are slots[first[s]:first[s+1]], ascending.
func slotsBySwitch(machine *topology.Topology, a *Allocation) (first, slots []int32) {
	hosts := a.HostOfSlot()
	first = make([]int32, machine.Switches()+1)
	for _, h := range hosts {
		first[machine.LeafSwitch(h)+1]++
	}
	for s := range machine.Switches() {
		first[s+1] += first[s]
	}
	next := append([]int32(nil), first...)
	slots = make([]int32, len(hosts))
	for slot, h := range hosts {
		sw := machine.LeafSwitch(h)
		slots[next[sw]] = int32(slot)
		next[sw]++
	}
	return first, slots
}

// switchAt is the switch number at coordinates; false if it is outside.
// Switches count the first dimension fastest.
func switchAt(grid *topology.GridRoute, place []int32) (sw int32, ok bool) {
	stride := int32(1)
	for k, x := range place {
		extent := int32(grid.Extents[k])
		if x < 0 || x >= extent {
			return 0, false
		}
		sw += x * stride
		stride *= extent
	}
	return sw, true
}
