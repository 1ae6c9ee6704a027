package topology

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

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
	*switchGraph
	rank   []int32  // length switches: place in the order, larger = higher
	length []uint16 // length leaves x switches: links on the legal path from the switch to the leaf
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
		return fmt.Errorf("%d switches: networks routed by table may have %d at most", t.Switches(),
			maxTableSwitches)
	}
	u := &upDown{switchGraph: newSwitchGraph(t)}
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
	byDepth := ranked(switches, func(a, b int32) int {
		return cmp.Or(cmp.Compare(depth[a], depth[b]),
			closer(a, b))
	})
	u.fromRoots(distance, queue, inverse(closeness))
	byRoot := ranked(switches, func(a, b int32) int {
		return cmp.Or(cmp.Compare(distance[b], distance[a]),
			closer(a, b))
	})
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
// are candidates.
func (u *upDown) routes() *Routes {
	switches, rank := len(u.column), u.rank
	groups, order := newLists(), inverse(rank)
	r := &Routes{VirtualChannels: 1, Switches: switches, Table: make([]int32, switches*switches)}
	for i := range r.Table {
		r.Table[i] = -1
	}
	u.length = make([]uint16, len(u.leaves)*switches)
	down, queue, links := make([]uint16, switches), []int32(nil), []int32(nil)
	for i, leaf := range u.leaves {
		length := u.length[i*switches : (i+1)*switches]
		queue = u.toLeaf(length, down, queue, leaf, rank, order)
		for s := range switches {
			if int32(s) == leaf || length[s] == unreachable {
				continue
			}
			links = u.candidates(links[:0], int32(s), rank, length, down)
			r.Table[s*switches+int(leaf)] = groups.group(links)
		}
	}
	r.Offsets, r.Channels = groups.offsets, groups.channels
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
