package picture

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"remap/topology"
)

// stages are the switches of a network in rows: stage 0 has hosts, and the others stand as many links
// above it as the nearest switch with hosts is away.
type stages struct {
	// level (length switches) is -1 for switches that are not shown.
	level []int32
	// place (length switches) is the place in the row.
	place []int32
	// rows (by level): the switches from left to right.
	rows [][]int32
	// hosts (length switches): the shown hosts of every switch, in natural order of their names.
	hosts [][]int32
	// pod (length of rows[0]): the group of leaf switches to which a leaf switch belongs.
	pod []int32
	// below (length switches): the place of the leftmost leaf switch below; nil until asked for.
	below []int32
	// lifted (length switches): has hosts and stands above other switches with hosts.
	lifted []bool
	// wires between switches that are shown.
	wires []wire
}

// findStages lays a network out in stages. crop (length hosts) tells which hosts are asked for, nil = all:
// their leaf switches are shown with all hosts, and what is above them.
// With lift, switches with few hosts that link the others stand above them.
func findStages(t *topology.Topology, crop []bool, lift bool) *stages {
	s := &stages{level: make([]int32, t.Switches()), place: make([]int32, t.Switches()),
		hosts: leafHosts(t), lifted: make([]bool, t.Switches())}
	if lift {
		s.lift(t)
	}
	s.climb(t)
	s.rows = make([][]int32, 1+slices.Max(s.level))
	for sw := range int32(t.Switches()) {
		asked := func(h int32) bool { return crop[h] }
		if s.level[sw] == 0 && crop != nil && !slices.ContainsFunc(s.hosts[sw], asked) {
			s.level[sw] = -1
		}
	}
	s.hideOthers(t)
	for sw, level := range s.level {
		if level >= 0 {
			s.rows[level] = append(s.rows[level], int32(sw))
		}
	}
	s.rows = slices.DeleteFunc(s.rows, func(row []int32) bool { return len(row) == 0 })
	s.wires = wires(t, func(sw int32) bool { return s.level[sw] >= 0 })
	s.sortLeaves(t)
	for level := 1; level < len(s.rows); level++ {
		s.sortAbove(t, level)
	}
	return s
}

// leafHosts are the hosts of every switch, by the natural order of their names.
func leafHosts(t *topology.Topology) [][]int32 {
	hosts := make([][]int32, t.Switches())
	for h := range int32(t.Hosts()) {
		leaf := t.LeafSwitch(h)
		hosts[leaf] = append(hosts[leaf], h)
	}
	for _, list := range hosts {
		slices.SortFunc(list, func(a, b int32) int { return naturally(t.HostNames[a], t.HostNames[b]) })
	}
	return hosts
}

// naturally compares names by topology.NaturalLess.
func naturally(a, b string) int {
	switch {
	case topology.NaturalLess(a, b):
		return -1
	case topology.NaturalLess(b, a):
		return 1
	}
	return cmp.Compare(a, b)
}

// lift finds the switches that are linked to at least half of the others with hosts and have fewer than
// half as many hosts as most of these: core switches with some machines of their own.
func (s *stages) lift(t *topology.Topology) {
	withHosts := 0
	for _, hosts := range s.hosts {
		withHosts += min(1, len(hosts))
	}
	for sw, hosts := range s.hosts {
		if len(hosts) == 0 {
			continue
		}
		seen, larger := map[int32]bool{}, 0
		for l, end := t.Out(t.NodeOf(int32(sw))); l < end; l++ {
			to := t.Links[l].To
			if t.IsHost(to) || seen[t.SwitchOf(to)] || len(s.hosts[t.SwitchOf(to)]) == 0 {
				continue
			}
			seen[t.SwitchOf(to)] = true
			if len(s.hosts[t.SwitchOf(to)]) > 2*len(hosts) {
				larger++
			}
		}
		s.lifted[sw] = 2*len(seen) >= withHosts-1 && 2*larger > len(seen)
	}
}

// climb numbers the levels by distance from hosts; -1 = no host is near.
func (s *stages) climb(t *topology.Topology) {
	var queue []int32
	for sw := range s.level {
		if s.level[sw] = -1; len(s.hosts[sw]) > 0 && !s.lifted[sw] {
			s.level[sw] = 0
			queue = append(queue, int32(sw))
		}
	}
	for len(queue) > 0 {
		sw := queue[0]
		queue = queue[1:]
		for l, end := t.Out(t.NodeOf(sw)); l < end; l++ {
			if to := t.Links[l].To; !t.IsHost(to) && s.level[t.SwitchOf(to)] < 0 {
				s.level[t.SwitchOf(to)] = s.level[sw] + 1
				queue = append(queue, t.SwitchOf(to))
			}
		}
	}
}

// hideOthers takes out switches above that have no link to a shown switch of a lower level.
func (s *stages) hideOthers(t *topology.Topology) {
	for level := int32(1); int(level) < len(s.rows); level++ {
		for sw := range int32(t.Switches()) {
			if s.level[sw] != level {
				continue
			}
			linked := false
			for l, end := t.Out(t.NodeOf(sw)); l < end; l++ {
				if to := t.Links[l].To; !t.IsHost(to) {
					below := s.level[t.SwitchOf(to)]
					linked = linked || below >= 0 && below < level
				}
			}
			if !linked {
				s.level[sw] = -1
			}
		}
	}
}

// sortLeaves puts leaf switches in order of their first hosts, groups of the network's levels together.
func (s *stages) sortLeaves(t *topology.Topology) {
	byName := make([]int32, t.Hosts())
	for h := range byName {
		byName[h] = int32(h)
	}
	slices.SortFunc(byName, func(a, b int32) int { return naturally(t.HostNames[a], t.HostNames[b]) })
	rank := make([]int32, t.Hosts())
	for i, h := range byName {
		rank[h] = int32(i)
	}
	first := make([][]int32, len(t.Levels)) // by level, then group: rank of the group's first host
	for i := range t.Levels {
		first[i] = make([]int32, t.Levels[i].Groups())
		for g := range first[i] {
			first[i][g] = int32(t.Hosts())
		}
		for h, g := range t.Levels[i].Group {
			first[i][g] = min(first[i][g], rank[h])
		}
	}
	slices.SortFunc(s.rows[0], func(a, b int32) int {
		x, y := s.hosts[a][0], s.hosts[b][0]
		for i := len(t.Levels) - 1; i >= 0; i-- {
			g := t.Levels[i].Group
			if c := cmp.Compare(first[i][g[x]], first[i][g[y]]); c != 0 {
				return c
			}
		}
		return cmp.Compare(rank[x], rank[y])
	})
	s.pod = make([]int32, len(s.rows[0]))
	for i, sw := range s.rows[0] {
		s.place[sw] = int32(i)
		if len(t.Levels) > 1 {
			s.pod[i] = t.Levels[1].Group[s.hosts[sw][0]]
		}
	}
}

// sortAbove puts the switches of a level in order of the mean place of what they have below, then by name.
func (s *stages) sortAbove(t *topology.Topology, level int) {
	sum, count := map[int32]float64{}, map[int32]float64{}
	for i := range s.wires {
		w := &s.wires[i]
		if s.level[w.from] == int32(level) && s.level[w.to] < int32(level) {
			below := float64(len(s.rows[s.level[w.to]]))
			sum[w.from] += (float64(s.place[w.to]) + 0.5) / below
			count[w.from]++
		}
	}
	mean := func(sw int32) float64 { return float64(int64(1e6 * sum[sw] / count[sw])) }
	slices.SortFunc(s.rows[level], func(a, b int32) int {
		return cmp.Or(cmp.Compare(mean(a), mean(b)), naturally(t.SwitchNames[a], t.SwitchNames[b]), int(a-b))
	})
	for i, sw := range s.rows[level] {
		s.place[sw] = int32(i)
	}
}

// lastWord is the last word of a switch's name, such as agg of pod0-agg3.
var lastWord = regexp.MustCompile(`([A-Za-z]+)[0-9]*$`)

// name is what the switches of a level are called: a word of their names, if all have it.
func (s *stages) name(t *topology.Topology, level int) string {
	word := ""
	for _, sw := range s.rows[level] {
		found := lastWord.FindStringSubmatch(t.SwitchNames[sw])
		if found == nil || word != "" && word != found[1] || len(found[1]) > 12 || len(found[1]) < 3 {
			return unnamed(level)
		}
		word = found[1]
	}
	if word == "agg" {
		return "aggregation"
	}
	return word
}

// unnamed is what a level without a word of its own is called.
func unnamed(level int) string { return "stage " + strconv.Itoa(level+1) }
