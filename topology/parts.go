package topology

import (
	"encoding/binary"
	"slices"
)

// parts numbers the connected parts of the network (length switches). Hosts do
// not forward: one with rails into two parts joins nothing.
func (t *Topology) parts() []int32 {
	part := make([]int32, t.Switches())
	for s := range part {
		part[s] = -1
	}
	parts := int32(0)
	var queue []int32
	for s := range part {
		if part[s] >= 0 {
			continue
		}
		part[s], queue = parts, append(queue[:0], int32(s))
		for i := 0; i < len(queue); i++ {
			first, end := t.Out(t.NodeOf(queue[i]))
			for l := first; l < end; l++ {
				if to := t.Links[l].To; !t.IsHost(to) && part[t.SwitchOf(to)] < 0 {
					part[t.SwitchOf(to)] = parts
					queue = append(queue, t.SwitchOf(to))
				}
			}
		}
		parts++
	}
	return part
}

// cutOff lists the hosts that cannot reach every other host (see strangers);
// part is that of every switch.
func (t *Topology) cutOff(part []int32) []int32 {
	return strangers(t.Hosts(), t.Switches(), func(parts []int32, h int32) []int32 {
		first, end := t.Out(h)
		for l := first; l < end; l++ {
			parts = append(parts, part[t.SwitchOf(t.Links[l].To)])
		}
		return parts
	})
}

// strangers lists, in order, the hosts that cannot reach every other host and
// are not in the part of the network with most hosts; nil when all hosts reach
// each other. Two hosts do when they have rails into one part: networks of
// several planes are fine as long as every two hosts share one. rails appends
// the parts, below `parts`, that a host's rails lead to.
func strangers(hosts, parts int, rails func(buffer []int32, host int32) []int32) []int32 {
	set := make([]int32, hosts) // index in sets
	known := map[string]int32{}
	var sets [][]int32
	var mine []int32
	var key []byte
	count, main := make([]int, parts), int32(0)
	for h := range int32(hosts) {
		mine, key = rails(mine[:0], h), key[:0]
		slices.Sort(mine)
		mine = slices.Compact(mine)
		for _, p := range mine {
			count[p]++
			if count[p] > count[main] {
				main = p
			}
			key = binary.LittleEndian.AppendUint32(key, uint32(p))
		}
		s, ok := known[string(key)]
		if !ok {
			s = int32(len(sets))
			known[string(key)] = s
			sets = append(sets, slices.Clone(mine))
		}
		set[h] = s
	}
	out := make([]bool, len(sets))
	for s, mine := range sets {
		meets := func(p int32) bool { return slices.Contains(mine, p) }
		out[s] = !meets(main) && slices.ContainsFunc(sets,
			func(other []int32) bool { return !slices.ContainsFunc(other, meets) })
	}
	var found []int32
	for h, s := range set {
		if out[s] {
			found = append(found, int32(h))
		}
	}
	return found
}

// someHosts names hosts in host-list form, the first few of many.
func (t *Topology) someHosts(hosts []int32) string {
	const few = 8
	names := make([]string, 0, len(hosts))
	for _, h := range hosts {
		names = append(names, t.HostNames[h])
	}
	if list := FormatHostList(names); len(list) <= 80 || len(names) <= few {
		return list
	}
	return FormatHostList(names[:few]) + " and others"
}
