package topology

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// Many goroutines get the same sets as one does, whatever the caches drop, and
// the caches keep to their bound.
func TestPathLinksConcurrently(t *testing.T) {
	for _, spec := range []string{"fattree:nodes-per-leaf=2,leaves-per-pod=4,pods=4,aggs-per-pod=3," +
		"cores=6", "dragonfly:groups=9,routers=4,hosts=2,global=2", "hyperx:4x4x2,hosts=2"} {
		n := mustParse(t, spec)
		single, shared := NewPathLinks(n, true), NewPathLinks(n, true)
		const limit = 24 << 10
		shared.ways, shared.whole = newSetCache(limit), newSetCache(limit)
		ins, outs := doors(n)
		want, most := map[[2]int32][]LinkRange{}, 0
		for _, in := range ins {
			for _, out := range outs {
				set := single.Between(in, out)
				want[[2]int32{in, out}], most = set, max(most, 8*len(set))
			}
		}
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(worker), 3))
				var buffer []LinkRange
				for range 3000 {
					in, out := ins[random.IntN(len(ins))], outs[random.IntN(len(outs))]
					buffer = shared.Append(buffer[:0], in, out)
					if right := want[[2]int32{in, out}]; !slices.Equal(shared.Between(in, out), right) ||
						!slices.Equal(buffer, right) {
						t.Errorf("%s: another set from link %d to %d", spec, in, out)
						return
					}
				}
			})
		}
		group.Wait()
		for _, c := range []*setCache{shared.ways, shared.whole} {
			if c.old.Load() == nil {
				t.Errorf("%s: nothing was dropped, so the bound was not tested", spec)
			}
			if kept := held(c); kept > limit+2*(most+1024) {
				t.Errorf("%s: %d bytes are kept, bound %d", spec, kept, limit)
			}
		}
	}
}

// held counts the bytes of a cache, from its tables alone.
func held(c *setCache) (bytes int) {
	for _, table := range []*setTable{c.young.Load(), c.old.Load()} {
		if table == nil {
			continue
		}
		bytes += 8 * len(table.slots)
		for i := range table.slots {
			if s := table.slots[i].Load(); s != nil {
				bytes += s.size()
			}
		}
	}
	return bytes
}

// A set in use stays when others come and go; one out of use goes.
func TestSetsInUseStay(t *testing.T) {
	c := newSetCache(64 << 10)
	used, idle := c.put(1, make([]LinkRange, 3)), c.put(2, nil)
	for key := range uint64(10000) {
		c.put(key+3, make([]LinkRange, 5))
		if c.get(1) != used {
			t.Fatalf("the set in use is gone after %d others", key+1)
		}
	}
	if c.get(2) == idle {
		t.Error("a set out of use is still there")
	}
	if kept := held(c); kept < 32<<10 || kept > 64<<10 {
		t.Errorf("%d bytes are kept, bound 65536", kept)
	}
	if c.put(1, nil) != used {
		t.Error("a second set under one key")
	}
}

// Hits allocate nothing.
func TestPathLinkHitsAllocateNothing(t *testing.T) {
	n := mustParse(t, "tapered")
	p := NewPathLinks(n, false)
	in, out := n.firstLink[5], n.Ejection(4000)[0]
	buffer := p.Append(nil, in, out)
	if count := testing.AllocsPerRun(100, func() {
		p.Between(in, out)
		p.Place(in, out, out)
		buffer = p.Append(buffer[:0], in, out)
	}); count != 0 {
		t.Errorf("%g allocations", count)
	}
}
