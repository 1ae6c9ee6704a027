package tiling

import (
	"remap/mapping"
	"remap/topology"
)

// apart is the least number of switches on a path between two slots in
// different places of every level, as far as the cables tell, and before these
// (entry 0) between any two different slots. Length levels+1, ascending, since
// every level's places lie within those of the next.
//
// Search from all hosts at once, each coloured by its place: the shortest path
// between two colours passes the link where two of them meet. O(links) a level.
func apart(machine *topology.Topology, a *mapping.Allocation, places *mapping.Places) []int {
	hostOf := a.HostOfSlot()
	color := make([]int32, machine.Hosts())
	for h := range color {
		color[h] = -1
	}
	shared := false
	for _, s := range places.Slots {
		h := hostOf[s]
		shared = shared || color[h] >= 0
		color[h] = h
	}
	list := make([]int, 1, len(places.Levels)+1)
	if !shared {
		list[0] = meeting(machine, color)
	}
	for i := range places.Levels {
		level := &places.Levels[i]
		for k := range level.Places() {
			for _, s := range places.Slots[level.Bounds[k]:level.Bounds[k+1]] {
				color[hostOf[s]] = int32(k)
			}
		}
		list = append(list, meeting(machine, color))
	}
	return list
}

// meeting is the least number of switches between hosts of different colours,
// -1 being no colour; 1 when there are no two colours.
func meeting(machine *topology.Topology, color []int32) int {
	nodes := machine.Hosts() + machine.Switches()
	owner, distance := make([]int32, nodes), make([]int32, nodes)
	var queue []int32
	for v := range owner {
		owner[v] = -1
		if v < len(color) && color[v] >= 0 {
			owner[v] = color[v]
			queue = append(queue, int32(v))
		}
	}
	least := int32(0)
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		first, end := machine.Out(v)
		for i := first; i < end; i++ {
			w := machine.Links[i].To
			if owner[w] < 0 {
				owner[w], distance[w] = owner[v], distance[v]+1
				if !machine.IsHost(w) {
					queue = append(queue, w)
				}
			} else if links := distance[v] + 1 + distance[w]; owner[w] != owner[v] && (least == 0 || links < least) {
				least = links
			}
		}
	}
	return max(1, int(least)-1)
}
