package placement

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit"
	"remap/mapping"
	"remap/topology"
)

// TestMetricIsThePathLength: whatever form the metric takes, it is the
// topology's path length between any two different slots.
func TestMetricIsThePathLength(t *testing.T) {
	for _, test := range []struct{ name, spec, form string }{
		{"few leaves", "tapered", "matrix"},
		{"many leaves", "fattree:nodes-per-leaf=2,leaves-per-pod=40,pods=30,aggs-per-pod=1,cores=40", "tree"},
		{"small torus", "torus:4x4x4", "matrix"},
		{"large torus", "torus:12x10x10", "asked"},
		{"torus with several hosts a switch", "torus:4x4,hosts=3", "matrix"},
	} {
		t.Run(test.name, func(t *testing.T) {
			machine, err := topology.Parse(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			p := &mapping.Problem{Machine: machine}
			p.Allocation = &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}
			layout := NewLayout(p, nil)
			m := layout.Metric
			form := map[bool]string{m.matrix != nil: "matrix", m.length != nil: "tree"}[true]
			if form == "" {
				form = "asked"
			}
			if form != test.form {
				t.Errorf("the metric is held as %q, want %q", form, test.form)
			}
			block := NewAssignment(layout.First, mapping.Identity(len(layout.Slots))).Block
			for x := range layout.Slots {
				for _, y := range []int{0, (x * 7) % len(block), (x + 1) % len(block), (x + 13) % len(block)} {
					want := int64(machine.PathLength(layout.Slots[x], layout.Slots[y])) // slot = host here
					if got := m.Between(block[x], block[y]); x != y && got != want {
						t.Fatalf("positions %d and %d: %d, want %d", x, y, got, want)
					}
				}
			}
		})
	}
}

// TestPricedLayoutIsExact: positions of one block are equally far from all
// others, and the metric is the distance under the prices.
func TestPricedLayoutIsExact(t *testing.T) {
	for _, spec := range testkit.PricedSpecs {
		rapid.Check(t, func(t *rapid.T) {
			p := testkit.Problem(t, spec)
			testkit.Price(t, p)
			layout := NewLayout(p, nil)
			d, err := p.Distances()
			if err != nil {
				t.Fatal(err)
			}
			block := NewAssignment(layout.First, mapping.Identity(len(layout.Slots))).Block
			ofSlot := p.Allocation.HostOfSlot()
			for x, s := range layout.Slots {
				for y, u := range layout.Slots[:x] {
					if got, want := layout.Metric.Between(block[x], block[y]), d.Between(ofSlot[s], ofSlot[u]); got != want {
						t.Fatalf("slots %d and %d in blocks %d and %d: %d, want %d", s, u, block[x], block[y], got, want)
					}
				}
			}
			sorted := slices.Sorted(slices.Values(layout.Slots))
			if !slices.Equal(sorted, mapping.Identity(len(ofSlot))) {
				t.Fatalf("slots %v of %d", layout.Slots, len(ofSlot))
			}
		})
	}
}

// TestSiblingsAreNear: the blocks of a place, at most mostSiblings, and no
// others.
func TestSiblingsAreNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, whole, place := []int32{0}, []int32{0}, []int{}
		for i := range rapid.IntRange(1, 4).Draw(t, "places") {
			for range rapid.IntRange(1, 150).Draw(t, "blocks") {
				first = append(first, first[len(first)-1]+rapid.Int32Range(1, 3).Draw(t, "size"))
				place = append(place, i)
			}
			whole = append(whole, first[len(first)-1])
		}
		n := near{}
		n.addSiblings(first, whole)
		for b := range place {
			in := 0
			for _, p := range place {
				if p == place[b] {
					in++
				}
			}
			siblings := n.of(int32(b))
			sorted := slices.Compact(slices.Clone(siblings))
			if len(sorted) != min(in-1, mostSiblings) || len(siblings) != len(sorted) ||
				slices.Contains(siblings, int32(b)) {
				t.Fatalf("block %d of a place of %d has %d siblings", b, in, len(siblings))
			}
			for _, s := range siblings {
				if place[s] != place[b] {
					t.Fatalf("blocks %d and %d of places %d and %d", b, s, place[b], place[s])
				}
			}
		}
	})
}
