package evalsim

import "testing"

// UGAL-L leaves the shortest way when its queue times its links is longer than
// that of the other way, and at equality stays. Between any two switches there
// is one shortest way here, so the random choice is only that of the
// intermediate switch, which a copy of the generator foretells.
func TestUGALComparesQueuesTimesLinks(t *testing.T) {
	o := DefaultOptions()
	o.Routing = UGAL
	s := empty(t, "dragonfly:groups=5,routers=4,hosts=2,global=1", o)
	top := s.topology
	stayed, left := 0, 0
	for at := range int32(top.Switches()) {
		for to := range int32(top.Switches()) {
			if at == to {
				continue
			}
			for _, queue := range [][2]int32{{0, 0}, {4096, 0}, {4096, 4096}, {2 * 4096, 4096}, {3 * 4096, 2 * 4096}, {6 * 4096, 2 * 4096}, {7 * 4096, 4096}} {
				pk := packet{to: to}
				link, virtual := s.toward(at, to, &pk)
				for l := range s.load.bytes {
					s.load.bytes[l] = queue[1]
				}
				s.load.bytes[link] = queue[0]
				foretold := s.random
				via := s.routes.Intermediate[foretold.Below(uint32(len(s.routes.Intermediate)))]
				other, _ := s.toward(at, via, &pk)
				want := to
				if via != at && via != to {
					direct := top.SwitchDistance(at, to)
					around := top.SwitchDistance(at, via) + top.SwitchDistance(via, to)
					if s.load.bytes[link]*direct > s.load.bytes[other]*around {
						want = via
					}
				}
				s.detour(at, to, link, virtual, &pk)
				if pk.to != want {
					t.Fatalf("from %d to %d by %d with queues %v: bound for %d, want %d", at, to, via, queue, pk.to, want)
				}
				if want == to {
					stayed++
				} else {
					left++
				}
			}
		}
	}
	if stayed < 500 || left < 500 {
		t.Errorf("%d packets stayed, %d left the shortest way: too few to tell", stayed, left)
	}
}
