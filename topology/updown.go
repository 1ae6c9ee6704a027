package topology

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// maxTableSwitches bounds the routing table of an arbitrary network, which
// has an entry for every pair of switches.
const maxTableSwitches = 1 << 14

const unreachable = math.MaxUint16

// upDown routes an arbitrary network without deadlock (Schroeder et al. 1991,
// Autonet): switches get a total order, every link leads up or down in it, and
// no packet goes up after it has gone down. The next hop depends on the switch
// and the destination alone, as in real forwarding tables: where some path
// leads down all the way, the shortest of those is taken, even if a path that
// first goes up were shorter; else the way up with the least total.
//
// The order decides how good the routes are. After the order that a network had
// before some of its links failed, if that is known, three are tried, and the
// first that makes all paths shortest wins, else the one with the least total:
//   - closeness: the smaller the mean distance to all hosts, the higher. On a
//     fat tree all spine switches come out on top and all of them are used.
//   - depth: the farther from the nearest host, the higher.
//   - breadth first from the closest switch: long ways round, but there is
//     always a path.
//
// Parts of the network that no link joins (planes) are routed each by itself.
//
// Cost: O(leaf switches x links between switches).
type upDown struct {
	t         *Topology
	part      []int32  // length switches: connected part
	rank      []int32  // length switches: place in the order, larger = higher
	offsets   []int32  // length switches+1
	neighbors []int32  // switch numbers, each once however many the parallel links
	leaves    []int32  // switches with hosts
	column    []int32  // length switches: index in leaves, or -1
	hosts     []int64  // length leaves: host links
	length    []uint16 // length leaves x switches: links on the legal path from the switch to the leaf
}

// links is the length of the legal path.
func (u *upDown) links(from, to int32) int32 {
	if u.column[to] < 0 {
		from, to = to, from
	}
	column := u.column[to]
	if column < 0 {
		return -1
	}
	d := u.length[int(column)*len(u.column)+int(from)]
	if d == unreachable {
		return -1
	}
	return int32(d)
}

// routeUpDown sets distance and Routes of a wired network. own is the order to
// try first (length switches, see upDown.rank), or nil.
func (t *Topology) routeUpDown(own []int32) error {
	if t.Switches() > maxTableSwitches {
		return fmt.Errorf("%d switches: networks routed by table may have %d at most", t.Switches(), maxTableSwitches)
	}
	u := newUpDown(t)
	shortest, orders := u.orders()
	if own != nil {
		orders = append([][]int32{own}, orders...)
	}
	best := int64(math.MaxInt64)
	for _, order := range orders {
		if total := u.measure(order); total < best {
			best, u.rank = total, order
		}
		if best == shortest {
			break
		}
	}
	t.distance = u
	t.Routes = u.routes()
	return nil
}

func newUpDown(t *Topology) *upDown {
	u := &upDown{t: t, part: t.parts(), offsets: []int32{0}, column: make([]int32, t.Switches())}
	for s := range int32(t.Switches()) {
		begin, hosts := len(u.neighbors), int64(0)
		first, end := t.Out(t.NodeOf(s))
		for l := first; l < end; l++ {
			if to := t.Links[l].To; t.IsHost(to) {
				hosts++
			} else {
				u.neighbors = append(u.neighbors, t.SwitchOf(to))
			}
		}
		slices.Sort(u.neighbors[begin:])
		u.neighbors = append(u.neighbors[:begin], slices.Compact(u.neighbors[begin:])...)
		u.offsets = append(u.offsets, int32(len(u.neighbors)))
		u.column[s] = -1
		if hosts > 0 {
			u.column[s] = int32(len(u.leaves))
			u.leaves, u.hosts = append(u.leaves, s), append(u.hosts, hosts)
		}
	}
	u.length = make([]uint16, len(u.leaves)*t.Switches())
	return u
}

func (u *upDown) adjacent(s int32) []int32 { return u.neighbors[u.offsets[s]:u.offsets[s+1]] }

// breadthFirst fills distance (length switches) with links from root, or with
// unreachable; allowed says which steps may be taken, nil = all.
func (u *upDown) breadthFirst(distance []uint16, queue []int32, root int32, allowed []int32) []int32 {
	for s := range distance {
		distance[s] = unreachable
	}
	distance[root] = 0
	return u.spread(distance, append(queue[:0], root), allowed)
}

// spread goes on from the switches in the queue to those not reached yet.
func (u *upDown) spread(distance []uint16, queue, allowed []int32) []int32 {
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		for _, v := range u.adjacent(s) {
			if distance[v] == unreachable && (allowed == nil || allowed[v] > allowed[s]) {
				distance[v] = distance[s] + 1
				queue = append(queue, v)
			}
		}
	}
	return queue
}

// orders gives the three candidate orders as the rank of every switch (larger
// = higher) and the total length of all shortest paths between leaves. The last
// has a legal path wherever there is a path.
func (u *upDown) orders() (shortest int64, ranks [][]int32) {
	switches := len(u.column)
	far, depth := make([]int64, switches), make([]uint16, switches)
	for s := range depth {
		depth[s] = unreachable
	}
	distance, queue := make([]uint16, switches), []int32(nil)
	for i, leaf := range u.leaves {
		queue = u.breadthFirst(distance, queue, leaf, nil)
		for s, d := range distance {
			far[s] += int64(d) * u.hosts[i]
			depth[s] = min(depth[s], d)
			if u.column[s] >= 0 && d != unreachable {
				shortest += int64(d)
			}
		}
	}
	closer := func(a, b int32) int {
		return cmp.Or(cmp.Compare(far[b], far[a]), cmp.Compare(depth[a], depth[b]), cmp.Compare(b, a))
	}
	closeness := ranked(switches, closer)
	byDepth := ranked(switches, func(a, b int32) int { return cmp.Or(cmp.Compare(depth[a], depth[b]), closer(a, b)) })
	u.fromRoots(distance, queue, inverse(closeness))
	byRoot := ranked(switches, func(a, b int32) int { return cmp.Or(cmp.Compare(distance[b], distance[a]), closer(a, b)) })
	return shortest, [][]int32{closeness, byDepth, byRoot}
}

// fromRoots fills distance (length switches) with links from the highest
// switch of each part; order lists the switches from low to high.
func (u *upDown) fromRoots(distance []uint16, queue, order []int32) {
	for s := range distance {
		distance[s] = unreachable
	}
	for i := len(order) - 1; i >= 0; i-- {
		if root := order[i]; distance[root] == unreachable {
			distance[root] = 0
			u.spread(distance, append(queue[:0], root), nil)
		}
	}
}

// ranked sorts switches from low to high and gives the place of each.
func ranked(switches int, compare func(a, b int32) int) []int32 {
	order := make([]int32, switches)
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, compare)
	return inverse(order)
}

func inverse(order []int32) []int32 {
	place := make([]int32, len(order))
	for i, s := range order {
		place[s] = int32(i)
	}
	return place
}

// toLeaf fills length with the legal path lengths to one leaf and down with
// those that only lead down; order lists the switches from low to high.
func (u *upDown) toLeaf(length, down []uint16, queue []int32, leaf int32, rank, order []int32) []int32 {
	queue = u.breadthFirst(down, queue, leaf, rank)
	for i := len(order) - 1; i >= 0; i-- {
		s := order[i]
		best := down[s]
		if best == unreachable {
			for _, v := range u.adjacent(s) {
				if rank[v] > rank[s] && length[v] != unreachable {
					best = min(best, length[v]+1)
				}
			}
		}
		length[s] = best
	}
	return queue
}

// measure is the total length of the legal paths between leaves under an
// order, MaxInt64 when some pair has none.
func (u *upDown) measure(rank []int32) int64 {
	order, total := inverse(rank), int64(0)
	length, down, queue := make([]uint16, len(rank)), make([]uint16, len(rank)), []int32(nil)
	for _, leaf := range u.leaves {
		queue = u.toLeaf(length, down, queue, leaf, rank, order)
		for s, d := range length {
			switch {
			case u.column[s] < 0 || u.part[s] != u.part[leaf]:
			case d == unreachable:
				return math.MaxInt64
			default:
				total += int64(d)
			}
		}
	}
	return total
}

// routes fills the table and the lengths. All parallel links to a next switch
// are candidates. Equal lists of candidates are stored once.
func (u *upDown) routes() *Routes {
	switches, rank := len(u.column), u.rank
	r := &Routes{VirtualChannels: 1, Switches: switches, Offsets: []int32{0}, Table: make([]int32, switches*switches)}
	for i := range r.Table {
		r.Table[i] = -1
	}
	order, known := inverse(rank), map[string]int32{}
	down, queue := make([]uint16, switches), []int32(nil)
	var links []int32
	var key []byte
	for i, leaf := range u.leaves {
		length := u.length[i*switches : (i+1)*switches]
		queue = u.toLeaf(length, down, queue, leaf, rank, order)
		for s := range int32(switches) {
			if s == leaf || length[s] == unreachable {
				continue
			}
			links, key = u.candidates(links[:0], s, rank, length, down), key[:0]
			for _, l := range links {
				key = binary.LittleEndian.AppendUint32(key, uint32(l))
			}
			group, ok := known[string(key)]
			if !ok {
				group = int32(len(r.Offsets) - 1)
				known[string(key)] = group
				r.Channels = append(r.Channels, links...)
				r.Offsets = append(r.Offsets, int32(len(r.Channels)))
			}
			r.Table[int(s)*switches+int(leaf)] = group
		}
	}
	r.StaticDivisor = u.staticDivisors(r)
	return r
}

// candidates appends the links out of s that go on by the rule.
func (u *upDown) candidates(links []int32, s int32, rank []int32, length, down []uint16) []int32 {
	t := u.t
	first, end := t.Out(t.NodeOf(s))
	for l := first; l < end; l++ {
		if t.IsHost(t.Links[l].To) {
			continue
		}
		v := t.SwitchOf(t.Links[l].To)
		if down[s] != unreachable {
			if rank[v] < rank[s] && down[v] == down[s]-1 {
				links = append(links, l)
			}
		} else if rank[v] > rank[s] && length[v] == length[s]-1 {
			links = append(links, l)
		}
	}
	return links
}

// staticDivisors: what leaf switches choose by (host mod candidates) must not
// decide the choice above them too.
func (u *upDown) staticDivisors(r *Routes) []int32 {
	most := int32(1)
	for _, leaf := range u.leaves {
		for _, to := range u.leaves {
			most = max(most, int32(len(r.Candidates(leaf, to))))
		}
	}
	divisors := make([]int32, len(u.column))
	for s, column := range u.column {
		divisors[s] = most
		if column >= 0 {
			divisors[s] = 1
		}
	}
	return divisors
}
