package exchange

import "remap/topology"

// tree is a fat tree that has all its links. As mapping.LinkLoads has it: the
// switches of a level that reach the same leaf switches form a group, and those
// leaf switches are a subtree. All links that lead up out of a group carry the
// same bytes, and so do all that lead down into it. Paths turn at the lowest
// level at which two leaf switches share a subtree.
type tree struct {
	holds  [][]int32 // levels x switches: number of the subtree that holds the leaf switch, one for all at the top
	upward [][]int32 // subtrees, numbered level by level: links that lead up out of its group, none at the top
}

// newTree is nil for networks that are no fat trees or lack links. O(links).
func newTree(machine *topology.Topology) *tree {
	r := machine.Routes
	if r == nil || r.Intervals == nil || r.Detours != nil {
		return nil
	}
	t := &tree{}
	level := make([]int32, machine.Switches()) // 0 = leaf switch; switch numbers grow from level to level
	numbers := map[[2]int32]int32{}            // level and first leaf switch: number of the subtree
	for sw := range int32(machine.Switches()) {
		low, high := sw, sw+1
		if level[sw] > 0 {
			low, high = r.Intervals[sw].Low, r.Intervals[sw].High
		}
		if int(level[sw]) == len(t.holds) {
			t.holds = append(t.holds, make([]int32, machine.Switches()))
		}
		key := [2]int32{level[sw], low}
		number, known := numbers[key]
		if !known {
			number = int32(len(t.upward))
			numbers[key] = number
			t.upward = append(t.upward, nil)
			for leaf := low; leaf < high; leaf++ {
				t.holds[level[sw]][leaf] = number
			}
		}
		group := r.Intervals[sw].Up
		if group < 0 {
			continue
		}
		for _, c := range r.Channels[r.Offsets[group]:r.Offsets[group+1]] {
			link := c / r.VirtualChannels
			t.upward[number] = append(t.upward[number], link)
			level[machine.SwitchOf(machine.Links[link].To)] = level[sw] + 1
		}
	}
	return t
}

// bySite is holds by site where every host has one rail, else nil.
func (t *tree) bySite(machine *topology.Topology, s *sites) [][]int32 {
	for _, h := range s.sample {
		if first, end := machine.Out(h); end-first != 1 {
			return nil
		}
	}
	var low [][]int32
	for _, of := range t.holds {
		level := make([]int32, s.count())
		for site, h := range s.sample {
			level[site] = of[machine.LeafSwitch(h)]
		}
		low = append(low, level)
	}
	return low
}
