package evalsim

import (
	"slices"
	"testing"
)

// A link that waits for credit sends when credit arrives, not before, however
// many credits a batch of events returns.
func TestCreditsOfOneBatch(t *testing.T) {
	for _, spec := range []string{"mesh:2", "torus:3"} { // of one virtual channel, and of two
		for _, returned := range [][]int32{{4096}, {4096, 4096}, {64, 4096, 64}, {2048, 2048},
			{4096, 4096, 4096, 4096}} {
			s := empty(t, spec, DefaultOptions())
			top := s.topology
			link := s.hostLinks
			for top.IsHost(top.Links[link].To) {
				link++
			}
			id := link * s.virtual
			p := s.newPacket()
			*s.packetAt.at(p) = packet{next: -1, in: -1}
			c := s.channelAt.at(id)
			c.head, c.tail, c.queued, c.credits = p, p, s.full, 0
			s.ready = append(s.ready, link)
			s.start()
			const left = 5_000_000 // ps
			s.wheel.advance(left)
			for _, bytes := range returned {
				s.returnCredit(id, bytes, left, left)
			}
			s.start()
			for s.alarms.count > 0 {
				s.alarmed(s.popAlarms(unknown))
			}
			kind := &s.classes[c.class]
			if want := left + kind.latency + kind.full; c.flight != p || c.freeAt != want {
				t.Errorf("%s, credits of %v bytes: packet %d ends at %d ps, want packet %d at "+
					"%d ps", spec, returned, c.flight, c.freeAt, p, want)
			}
			if want := left + kind.latency; s.stalled[link] != want {
				t.Errorf("%s, credits of %v bytes: stalled for %d ps, want %d", spec, returned, s.stalled[link], want)
			}
		}
	}
}

// A link's virtual channels take turns. One without credit, or without a packet,
// does not keep the others from sending; if none has credit, the link waits.
func TestChannelsTakeTurns(t *testing.T) {
	s := empty(t, "dragonfly:groups=9,routers=4,hosts=2,global=2", DefaultOptions())
	top := s.topology
	link := s.hostLinks
	for top.IsHost(top.Links[link].To) {
		link++
	}
	for _, c := range []struct{ packets, credits, want []int32 }{
		{[]int32{3, 3, 3, 0, 0, 0}, []int32{9, 9, 9, 9, 9, 9}, []int32{1, 2, 0, 1, 2, 0, 1, 2, 0}},
		{[]int32{2, 0, 2, 0, 0, 1}, []int32{9, 9, 9, 9, 9, 9}, []int32{2, 5, 0, 2, 0}},
		{[]int32{2, 2, 2, 2, 2, 2}, []int32{9, 0, 9, 0, 0, 0}, []int32{2, 0, 2, 0}},
		{[]int32{0, 0, 0, 0, 0, 3}, []int32{9, 9, 9, 9, 9, 2}, []int32{5, 5}},
		{[]int32{1, 1, 0, 0, 0, 0}, []int32{0, 0, 0, 0, 0, 0}, nil},
	} {
		s.reset(1)
		shared := s.channelAt.at(link * s.virtual)
		for v := range s.virtual {
			queue := s.channelAt.at(link*s.virtual + v)
			queue.credits = c.credits[v] * s.full
			for range c.packets[v] {
				p := s.newPacket()
				*s.packetAt.at(p) = packet{next: queue.head, in: -1}
				if queue.head < 0 {
					queue.tail = p
				}
				queue.head = p
				queue.queued += s.full
			}
		}
		var sent []int32
		for {
			s.ready = append(s.ready, link)
			s.start()
			if shared.flight < 0 {
				break
			}
			sent = append(sent, int32(shared.turn))
			shared.flight = -1
			s.wheel.advance(shared.freeAt)
		}
		if !slices.Equal(sent, c.want) {
			t.Errorf("packets %v, credits for %v: channels %v sent, want %v", c.packets, c.credits, sent, c.want)
		}
		if waits := shared.flags&isWaiting != 0; waits != (len(sent) < int(sum(c.packets))) {
			t.Errorf("packets %v, credits for %v: the link waits: %v", c.packets, c.credits, waits)
		}
	}
}

func sum(values []int32) (total int32) {
	for _, v := range values {
		total += v
	}
	return total
}
