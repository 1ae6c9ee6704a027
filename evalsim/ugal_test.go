package evalsim

import "testing"

// UGAL-L leaves the shortest way when its queue times its links is longer, by more than
// four packets, than that of the better of two other ways; at equality it stays. Between
// any two switches there is one shortest way here, so the random choice is only that of
// the intermediate switches, which a copy of the generator foretells.
func TestUGALComparesQueuesTimesLinks(t *testing.T) {
	const full = 4096
	o := DefaultOptions()
	o.Routing = UGAL
	s := empty(t, "dragonfly:groups=5,routers=4,hosts=2,global=1", o)
	top := s.topology
	links := func(way ...int32) int32 {
		sum := int32(0)
		for i := range way[1:] {
			sum += top.SwitchDistance(way[i], way[i+1])
		}
		return sum
	}
	taken := map[string]int{}
	// Packets queued on the shortest way's link, on other links of even and of odd number.
	for _, queue := range [][3]int32{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {5, 0, 0}, {4, 4, 4}, {8, 1, 2}, {9, 2, 1},
		{12, 2, 2}, {12, 4, 0}, {12, 0, 4}, {20, 6, 7}, {20, 12, 3}} {
		for at := range int32(top.Switches()) {
			for to := range int32(top.Switches()) {
				if at == to {
					continue
				}
				pk := packet{to: to}
				link, virtual := s.toward(at, to, &pk)
				for l := range s.load.bytes {
					s.load.bytes[l] = queue[1+l%2] * full
				}
				s.load.bytes[link] = queue[0] * full
				foretold := s.random
				want, cost, name := to, s.load.bytes[link]*links(at, to)-4*full, "shortest"
				for _, which := range []string{"first", "second"} {
					via := s.routes.Intermediate[foretold.Below(uint32(len(s.routes.Intermediate)))]
					if via == at || via == to {
						continue
					}
					other, _ := s.toward(at, via, &pk)
					if c := s.load.bytes[other] * links(at, via, to); c < cost {
						want, cost, name = via, c, which
					}
				}
				next, _ := s.detour(at, to, link, virtual, &pk)
				if pk.to != want {
					t.Fatalf("from %d to %d with queues %v: bound for %d, want %d", at, to, queue, pk.to, want)
				}
				if along, _ := s.toward(at, want, &pk); next != along {
					t.Fatalf("from %d to %d by %d: link %d, want %d", at, to, want, next, along)
				}
				taken[name]++
			}
		}
	}
	for _, name := range []string{"shortest", "first", "second"} {
		if taken[name] < 500 {
			t.Errorf("ways taken: %v, too few to tell", taken)
		}
	}
}
