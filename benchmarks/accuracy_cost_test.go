package benchmarks

import (
	"testing"

	"remap/sampling"
)

// costPackets are sent and received in turn; their headers fit in the cache.
const costPackets = 4096

// speeds are user time of a core: of switches for a hop, with what the sender does
// for the packet, and of receivers for a packet. The fastest of some turns counts.
func speeds(t testing.TB, m *met, row accuracyRow) (hop, packet float64) {
	p := newPlayer(t, m, row)
	packets := make([]sampling.Packet, min(costPackets, m.packets()))
	hops := float64(m.offsets[len(packets)])
	fastest := func(do func()) float64 {
		best := 0.
		for range 3 {
			begin, rounds, took := userSeconds(t), 0, 0.
			for ; took < 0.05; took = userSeconds(t) - begin {
				do()
				rounds++
			}
			if seconds := took / float64(rounds); best == 0 || seconds < best {
				best = seconds
			}
		}
		return best * 1e9
	}
	hop = fastest(func() {
		for i := range packets {
			p.cross(&packets[i], int32(i))
		}
	}) / hops
	packet = fastest(func() {
		for i := range packets {
			p.receiver.Receive(p.table, &packets[i])
		}
		p.receiver.Flush()
	}) / float64(len(packets))
	return hop, packet
}
