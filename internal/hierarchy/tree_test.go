package hierarchy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

// machine is a hierarchy without links: only host names and levels matter here.
func machine(hosts int, sizes ...int) *topology.Topology {
	m := &topology.Topology{HostNames: make([]string, hosts)}
	for i, size := range sizes {
		level := topology.Level{Name: []string{"leaf", "pod", "island"}[i], Group: make([]int32, hosts)}
		for h := range level.Group {
			level.Group[h] = int32(h / size)
		}
		m.Levels = append(m.Levels, level)
	}
	return m
}

func problem(m *topology.Topology, a *mapping.Allocation, ranks int) *mapping.Problem {
	return &mapping.Problem{Machine: m, Allocation: a, Graph: &commgraph.Graph{Offsets: make([]int32, ranks+1)}}
}

func hostList(hosts ...int32) []int32 { return hosts }

// draw makes a problem with any subset of the hosts in any order.
func draw(t *rapid.T) *mapping.Problem {
	leaf, leaves := rapid.IntRange(1, 4).Draw(t, "leaf"), rapid.IntRange(1, 3).Draw(t, "leaves")
	hosts := leaf * leaves * rapid.IntRange(1, 4).Draw(t, "pods")
	order := make([]int32, hosts)
	for h := range order {
		order[h] = int32(h)
	}
	a := &mapping.Allocation{Hosts: rapid.Permutation(order).Draw(t, "order")[:rapid.IntRange(0, hosts).Draw(t, "used")]}
	if rapid.Bool().Draw(t, "slots") {
		a.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), len(a.Hosts), len(a.Hosts)).Draw(t, "each")
	}
	return problem(machine(hosts, leaf, leaf*leaves), a, rapid.IntRange(0, a.SlotCount()).Draw(t, "ranks"))
}

func TestTreeIsAPartitionOfTheSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		tree := Compact(p)
		if len(tree.Slots) != p.Ranks() {
			t.Fatalf("%d slots for %d ranks", len(tree.Slots), p.Ranks())
		}
		if err := mapping.Mapping(tree.Slots).Check(p.Allocation.SlotCount()); err != nil {
			t.Fatal(err)
		}
		names, groups := groupings(p.Machine, p.Allocation)
		for i := range tree.Levels {
			checkLevel(t, tree, i, groups[slices.Index(names, tree.Levels[i].Name)])
		}
	})
}

// checkLevel tests that positions share a block exactly when their slots share
// a group, and that blocks nest.
func checkLevel(t *rapid.T, tree *Tree, i int, group []int32) {
	level := &tree.Levels[i]
	block := level.OfPosition()
	if len(block) != len(tree.Slots) {
		t.Fatalf("level %s covers %d of %d positions", level.Name, len(block), len(tree.Slots))
	}
	for x := range block {
		for y := range x {
			if (block[x] == block[y]) != (group[tree.Slots[x]] == group[tree.Slots[y]]) {
				t.Fatalf("level %s: positions %d and %d", level.Name, x, y)
			}
		}
	}
	if (level.Parent == nil) != (i == len(tree.Levels)-1) {
		t.Fatalf("level %s: parents %v", level.Name, level.Parent)
	}
	if level.Parent == nil {
		return
	}
	coarser := tree.Levels[i+1].OfPosition()
	for x, b := range block {
		if level.Parent[b] != coarser[x] {
			t.Fatalf("level %s: block %d lies in %d, not in %d", level.Name, b, coarser[x], level.Parent[b])
		}
	}
	for b := range tree.Levels[i+1].Blocks() {
		first, end := tree.Children(i, b)
		if first == end || level.First[first] != tree.Levels[i+1].First[b] || level.First[end] != tree.Levels[i+1].First[b+1] {
			t.Fatalf("children %d to %d of block %d", first, end, b)
		}
	}
}

func TestChooseIsCompact(t *testing.T) {
	m := machine(24, 4, 12) // two pods of three leaves of four hosts
	all := &mapping.Allocation{Hosts: make([]int32, 24)}
	for h := range all.Hosts {
		all.Hosts[h] = int32(h)
	}
	for _, test := range []struct {
		name  string
		a     *mapping.Allocation
		ranks int
		want  []int32
	}{
		{"one leaf", all, 3, hostList(0, 1, 2)},
		{"one pod, leaves whole", all, 6, hostList(0, 1, 2, 3, 4, 5)},
		{"a pod whole, the rest in one leaf", all, 14, hostList(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)},
		{"the smallest leaf that holds all", &mapping.Allocation{Hosts: hostList(0, 1, 2, 3, 12, 13, 14)}, 3, hostList(4, 5, 6)},
		{"the largest leaf first", &mapping.Allocation{Hosts: hostList(0, 1, 4, 5, 6, 8)}, 4, hostList(2, 3, 4, 5)},
		{"hosts whole", &mapping.Allocation{Hosts: hostList(0, 1, 2), Slots: hostList(2, 3, 1)}, 4, hostList(2, 3, 4, 5)},
		{"none", all, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := slices.Sorted(slices.Values(Compact(problem(m, test.a, test.ranks)).Slots))
			if !slices.Equal(got, test.want) {
				t.Errorf("chose %v, want %v", got, test.want)
			}
		})
	}
}

func TestRedundantLevelsAreLeftOut(t *testing.T) {
	m := machine(24, 4, 12)
	names := func(a *mapping.Allocation) (names []string) {
		for _, l := range New(problem(m, a, 0)).Levels {
			names = append(names, l.Name)
		}
		return names
	}
	for _, test := range []struct {
		name string
		a    *mapping.Allocation
		want []string
	}{
		{"all levels", &mapping.Allocation{Hosts: hostList(0, 4, 12)}, []string{"leaf", "pod"}},
		{"one pod", &mapping.Allocation{Hosts: hostList(0, 4)}, []string{"leaf"}},
		{"one leaf", &mapping.Allocation{Hosts: hostList(0, 1)}, []string{"leaf"}},
		{"one leaf a pod", &mapping.Allocation{Hosts: hostList(0, 1, 12)}, []string{"leaf"}},
		{"hosts with slots", &mapping.Allocation{Hosts: hostList(0, 1, 12), Slots: hostList(1, 2, 1)}, []string{"host", "leaf"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := names(test.a); !slices.Equal(got, test.want) {
				t.Errorf("levels %v, want %v", got, test.want)
			}
		})
	}
}
