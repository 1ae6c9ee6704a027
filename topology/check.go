package topology

import (
	"fmt"
	"math"
)

// Check tests the invariants in time linear in the links.
func (t *Topology) Check() error {
	nodes := t.Hosts() + t.Switches()
	if len(t.firstLink) != nodes+1 || len(t.reverse) != len(t.Links) || t.distance == nil {
		return fmt.Errorf("topology %s is not finished", t.Name)
	}
	if t.Hosts() == 0 {
		return fmt.Errorf("topology %s has no hosts", t.Name)
	}
	if len(t.hostIndex) != t.Hosts() {
		return fmt.Errorf("topology %s names two hosts alike", t.Name)
	}
	for v := range nodes {
		first, end := t.firstLink[v], t.firstLink[v+1]
		if first > end || int(end) > len(t.Links) {
			return fmt.Errorf("links of %s are [%d, %d) of %d", t.NodeName(int32(v)), first, end, len(t.Links))
		}
		for i := first; i < end; i++ {
			if err := t.checkLink(i, int32(v), int32(nodes)); err != nil {
				return err
			}
		}
	}
	if int(t.firstLink[nodes]) != len(t.Links) {
		return fmt.Errorf("%d links of %d belong to a node", t.firstLink[nodes], len(t.Links))
	}
	if err := t.checkLevels(); err != nil {
		return err
	}
	return t.checkReach()
}

func (t *Topology) checkLink(i, from, nodes int32) error {
	l := &t.Links[i]
	switch {
	case l.From != from:
		return fmt.Errorf("link %d leaves node %d but is listed at node %d", i, l.From, from)
	case l.To < 0 || l.To >= nodes || l.From == l.To:
		return fmt.Errorf("link %d joins nodes %d and %d of %d", i, l.From, l.To, nodes)
	case t.IsHost(l.From) && t.IsHost(l.To):
		return fmt.Errorf("link %d joins two hosts, %s and %s", i, t.NodeName(l.From), t.NodeName(l.To))
	case !(l.BytesPerSecond > 0) || math.IsInf(l.BytesPerSecond, 0) || l.Latency < 0:
		return fmt.Errorf("link %d has rate %g B/s and latency %v", i, l.BytesPerSecond, l.Latency)
	}
	r := t.reverse[i]
	if r < 0 || int(r) >= len(t.Links) || t.reverse[r] != i || t.Links[r].From != l.To ||
		t.Links[r].To != l.From {
		return fmt.Errorf("%s and %s are not joined in both directions", t.NodeName(l.From), t.NodeName(l.To))
	}
	return nil
}

// checkLevels tests that groups are numbered in order of their first host and
// that each level nests in the next.
func (t *Topology) checkLevels() error {
	for i := range t.Levels {
		level := &t.Levels[i]
		if len(level.Group) != t.Hosts() {
			return fmt.Errorf("level %s groups %d hosts of %d", level.Name, len(level.Group), t.Hosts())
		}
		next := int32(0)
		for h, g := range level.Group {
			if g < 0 || g > next {
				return fmt.Errorf("level %s: group %d of host %s breaks the order of first hosts", level.Name, g,
					t.HostNames[h])
			}
			if g == next {
				next++
			}
		}
		if i > 0 && !nests(t.Levels[i-1].Group, level.Group) {
			return fmt.Errorf("level %s does not nest in level %s", t.Levels[i-1].Name, level.Name)
		}
	}
	return nil
}

// nests tells whether hosts of one fine group always share a coarse group.
func nests(fine, coarse []int32) bool {
	parent := make([]int32, len(fine))
	seen := int32(0)
	for h, g := range fine {
		if g == seen {
			parent[g] = coarse[h]
			seen++
		} else if parent[g] != coarse[h] {
			return false
		}
	}
	return true
}

// checkReach tests that hosts reach each other and that the metric knows it:
// between every leaf switch and the first one of its part both ways.
func (t *Topology) checkReach() error {
	for h := range int32(t.Hosts()) {
		if first, end := t.Out(h); first == end {
			return fmt.Errorf("host %s has no link", t.HostNames[h])
		}
	}
	part := t.parts()
	if cut := t.cutOff(part); cut != nil {
		return fmt.Errorf("the network is not connected: %s cannot reach every other host", t.someHosts(cut))
	}
	root := make([]int32, t.Switches()) // of every part, its first leaf switch
	for i := range root {
		root[i] = -1
	}
	for l := range t.firstLink[t.Hosts()] {
		leaf := t.SwitchOf(t.Links[l].To)
		p := part[leaf]
		if root[p] < 0 {
			root[p] = leaf
		}
		if t.distance.links(root[p], leaf) < 0 || t.distance.links(leaf, root[p]) < 0 {
			return fmt.Errorf("the network is not connected: no path from %s to %s", t.SwitchNames[root[p]],
				t.SwitchNames[leaf])
		}
	}
	return nil
}
