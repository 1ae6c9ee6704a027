package mapping

import "remap/topology"

// treeLoads carries bytes through a fat tree that has all its links.
//
// The switches of a level that reach the same leaf switches form a group, and
// what is below it a subtree. Every message that leaves a subtree goes up by any
// link at every switch, whatever its destination, and so its bytes divide
// equally over all links that lead out of the subtree's group: as many leave
// each switch, and each was given as much. Below the switches where it turns
// there is one way down from each, so that its bytes divide equally over all
// links into the subtree they go to. What leaves and what enters each subtree
// says it all: O(demands x levels + links), whatever the number of ways.
type treeLoads struct {
	machine *topology.Topology
	level   []int32     // length switches: 0 = leaf switch
	low     [][]int32   // levels x leaf switches: first leaf switch of the subtree that holds it
	leaving [][]float64 // levels x leaf switches: bytes out of the subtree with this first leaf switch
	coming  [][]float64 // the same: bytes into it
}

// newTreeLoads is nil for networks that are no fat trees, or lack links.
func newTreeLoads(machine *topology.Topology) *treeLoads {
	r := machine.Routes
	if r == nil || r.Intervals == nil || r.Detours != nil {
		return nil
	}
	t := &treeLoads{machine: machine, level: make([]int32, machine.Switches())}
	levels, leaves := int32(1), 0
	for s := range t.level {
		if t.level[s] == 0 {
			leaves++
		}
		for _, c := range t.upward(s) {
			parent := machine.SwitchOf(machine.Links[c/r.VirtualChannels].To)
			t.level[parent] = t.level[s] + 1
			levels = max(levels, t.level[parent]+1)
		}
	}
	for range levels {
		t.low = append(t.low, make([]int32, leaves))
		t.leaving = append(t.leaving, make([]float64, leaves))
		t.coming = append(t.coming, make([]float64, leaves))
	}
	for s, k := range t.level {
		first, end := t.subtree(s)
		for leaf := first; leaf < end; leaf++ {
			t.low[k][leaf] = first
		}
	}
	return t
}

// upward is the channels that lead up from a switch; switch numbers grow from
// level to level.
func (t *treeLoads) upward(s int) []int32 {
	r := t.machine.Routes
	group := r.Intervals[s].Up
	if group < 0 {
		return nil
	}
	return r.Channels[r.Offsets[group]:r.Offsets[group+1]]
}

// subtree is the range of leaf switches that a switch reaches down.
func (t *treeLoads) subtree(s int) (first, end int32) {
	if t.level[s] == 0 {
		return int32(s), int32(s) + 1
	}
	return t.machine.Routes.Intervals[s].Low, t.machine.Routes.Intervals[s].High
}

// add carries a demand up to the lowest level that has both ends below it.
func (t *treeLoads) add(d demand) {
	for k, low := range t.low {
		from, to := low[d.from], low[d.to]
		if from == to {
			return
		}
		t.leaving[k][from] += d.bytes
		t.coming[k][to] += d.bytes
	}
}

// spread adds to loads what every link between switches carries.
func (t *treeLoads) spread(loads []float64) {
	links := make([][]float64, len(t.low)) // levels x leaf switches: that lead up from the subtree's group
	for k := range links {
		links[k] = make([]float64, len(t.low[k]))
	}
	for s, k := range t.level {
		first, _ := t.subtree(s)
		links[k][first] += float64(len(t.upward(s)))
	}
	for s, k := range t.level {
		first, _ := t.subtree(s)
		for _, c := range t.upward(s) {
			up := c / t.machine.Routes.VirtualChannels
			loads[up] += t.leaving[k][first] / links[k][first]
			loads[t.machine.Reverse(up)] += t.coming[k][first] / links[k][first]
		}
	}
}
