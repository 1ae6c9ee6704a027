package topology

import (
	"fmt"
	"slices"
	"testing"
)

// A tree of two pods of two leaf switches: leaf switches are subtrees 0 to 3, pods 4 and
// 5, the whole 6; a pod has 2 switches with 2 links up each.
func TestSubtrees(t *testing.T) {
	machine, err := Parse("xgft:down=2x2x2,up=1x2x2")
	if err != nil {
		t.Fatal(err)
	}
	s := machine.Subtrees()
	if got := fmt.Sprint(s.Of); got != "[[0 1 2 3] [4 4 5 5] [6 6 6 6]]" {
		t.Errorf("subtrees of leaf switches by level: %s", got)
	}
	if got := fmt.Sprint(s.Top, s.Level); got != "[0 1 2 3 4 4 5 5 6 6 6 6] [0 0 0 0 1 1 1 1 2 2 2 2]" {
		t.Errorf("subtrees and levels of switches: %s", got)
	}
	counts := make([]int, len(s.Up))
	for n, up := range s.Up {
		counts[n] = len(up)
		for _, l := range up {
			if from := machine.SwitchOf(machine.Links[l].From); s.Top[from] != int32(n) {
				t.Errorf("link %d leads up from switch %d, which is not of subtree %d", l, from, n)
			}
		}
	}
	if !slices.Equal(counts, []int{2, 2, 2, 2, 4, 4, 0}) {
		t.Errorf("links up out of subtrees: %v", counts)
	}
}

// Other networks, and a tree without one of its links, have no subtrees.
func TestNoSubtrees(t *testing.T) {
	tree, err := Parse("fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2")
	if err != nil {
		t.Fatal(err)
	}
	degraded, err := Degrade(tree, []string{"leaf0:pod0-agg1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	torus, err := Parse("torus:4x4")
	if err != nil {
		t.Fatal(err)
	}
	if tree.Subtrees() == nil || degraded.Subtrees() != nil || torus.Subtrees() != nil {
		t.Errorf("tree %v, without a link %v, torus %v", tree.Subtrees(), degraded.Subtrees(), torus.Subtrees())
	}
}
