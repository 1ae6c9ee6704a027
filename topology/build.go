package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// MaxLinks is the most directed links, hosts, switches or routing entries of a
// generated topology: beyond it a spec is refused before it takes the memory. A
// fat tree of a million hosts has about six million links.
const MaxLinks = 1 << 24

// cable is a pair of links, one in each direction.
type cable struct {
	a, b           int32 // nodes
	aPort, bPort   int32 // port numbers; negative: count the node's links from 0
	bytesPerSecond float64
	latency        time.Duration
}

// wire turns cables into links: sorts them by node and port, pairs the two
// directions and indexes the names. Links without port numbers keep the order
// of the cables. The caller then sets distance, Routes and Levels and calls Check.
func (t *Topology) wire(cables []cable) error {
	nodes := t.Hosts() + t.Switches()
	t.firstLink = make([]int32, nodes+1)
	for i := range cables {
		t.firstLink[cables[i].a+1]++
		t.firstLink[cables[i].b+1]++
	}
	for v := range nodes {
		t.firstLink[v+1] += t.firstLink[v]
	}
	next := slices.Clone(t.firstLink[:nodes])
	t.Links = make([]Link, 2*len(cables))
	t.reverse = make([]int32, 2*len(cables))
	place := func(from, to, port int32, c *cable) int32 {
		at := next[from]
		next[from]++
		if port < 0 {
			port = at - t.firstLink[from]
		}
		t.Links[at] = Link{From: from, To: to, BytesPerSecond: c.bytesPerSecond, Latency: c.latency, FromPort: port}
		return at
	}
	for i := range cables {
		c := &cables[i]
		ahead := place(c.a, c.b, c.aPort, c)
		back := place(c.b, c.a, c.bPort, c)
		t.reverse[ahead], t.reverse[back] = back, ahead
	}
	t.sortPorts()
	t.hostIndex = make(map[string]int32, t.Hosts())
	for h, name := range t.HostNames {
		if first, ok := t.hostIndex[name]; ok {
			return fmt.Errorf("hosts %d and %d are both named %q", first, h, name)
		}
		t.hostIndex[name] = int32(h)
	}
	return nil
}

// sortPorts puts the links of every node in order of their port numbers.
func (t *Topology) sortPorts() {
	byPort := func(a, b Link) int { return cmp.Compare(a.FromPort, b.FromPort) }
	var links []Link
	var order, reverse []int32
	for v := range len(t.firstLink) - 1 {
		first, end := t.firstLink[v], t.firstLink[v+1]
		segment := t.Links[first:end]
		if slices.IsSortedFunc(segment, byPort) {
			continue
		}
		order, links = order[:0], append(links[:0], segment...)
		reverse = append(reverse[:0], t.reverse[first:end]...)
		for i := range segment {
			order = append(order, int32(i))
		}
		slices.SortStableFunc(order, func(a, b int32) int { return byPort(links[a], links[b]) })
		for i, was := range order {
			segment[i] = links[was]
			t.reverse[first+int32(i)] = reverse[was]
			t.reverse[reverse[was]] = first + int32(i)
		}
	}
}

// numbered gives prefix0, prefix1, ... as slices of one string.
func numbered(prefix string, count int) []string {
	var text []byte
	ends := make([]int, count)
	for i := range count {
		text = strconv.AppendInt(append(text, prefix...), int64(i), 10)
		ends[i] = len(text)
	}
	all, names, from := string(text), make([]string, count), 0
	for i, end := range ends {
		names[i] = all[from:end]
		from = end
	}
	return names
}

// addLevel appends a coarser level unless it says nothing new: one group of
// all hosts, or the groups of the level below.
func (t *Topology) addLevel(level Level) {
	groups := level.Groups()
	if groups <= 1 {
		return
	}
	if n := len(t.Levels); n > 0 && t.Levels[n-1].Groups() == groups {
		return
	}
	t.Levels = append(t.Levels, level)
}

// nextLevel names the level that addLevel is to add: leaf, pod, pod2, ...
func (t *Topology) nextLevel() string {
	switch n := len(t.Levels); n {
	case 0:
		return "leaf"
	case 1:
		return "pod"
	default:
		return "pod" + strconv.Itoa(n)
	}
}

// blocks groups consecutive hosts, size each.
func blocks(hosts, size int) []int32 {
	group := make([]int32, hosts)
	for h := range group {
		group[h] = int32(h / size)
	}
	return group
}
