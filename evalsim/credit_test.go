package evalsim

import (
	"testing"

	"remap/topology"
)

// A link that waits for credit sends when credit arrives, not before, however
// many credits a batch of events returns.
func TestCreditsOfOneBatch(t *testing.T) {
	for _, spec := range []string{"mesh:2", "torus:3"} { // of one virtual channel, and of two
		top, err := topology.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		simulation, err := New(top, nil, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, returned := range [][]int32{{4096}, {4096, 4096}, {64, 4096, 64}, {2048, 2048}, {4096, 4096, 4096, 4096}} {
			s := newSimulator(simulation.network, nil, &simulation.options)
			s.reset(1)
			link := s.hostLinks
			for top.IsHost(top.Links[link].To) {
				link++
			}
			id := link * s.virtual
			p := s.newPacket()
			*s.packetAt.at(p) = packet{next: -1, in: -1}
			c := s.channelAt.at(id)
			c.head, c.tail, c.queued, c.credits, c.newest = p, p, s.full, 0, s.full
			s.ready = append(s.ready, link)
			s.start()
			const left = 5_000_000 // ps
			s.wheel.advance(left)
			for _, bytes := range returned {
				s.returnCredit(id, bytes, left)
			}
			s.start()
			kind := &s.classes[c.class]
			if want := left + kind.latency + kind.full; c.flight != p || c.freeAt != want {
				t.Errorf("%s, credits of %v bytes: packet %d ends at %d ps, want packet %d at %d ps", spec, returned, c.flight, c.freeAt, p, want)
			}
			if want := left + kind.latency; s.stalled[link] != want {
				t.Errorf("%s, credits of %v bytes: stalled for %d ps, want %d", spec, returned, s.stalled[link], want)
			}
		}
	}
}
