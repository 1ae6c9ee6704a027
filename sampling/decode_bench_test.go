package sampling

import (
	"fmt"
	"testing"
)

// BenchmarkDecode is Collect and Decode of blocks of several packets each, a
// quarter of them congested, by the hashes of several hundred links; in
// nanoseconds a packet.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ packets, links int32 }{{64, 800}, {64, 20}, {8, 800}, {1, 800}, {1, 20}} {
		b.Run(fmt.Sprintf("packets=%d/links=%d", c.packets, c.links), func(b *testing.B) {
			v := Variant{Kind: OneBit, Slots: 1, Counter: 8, Hash: Field}
			ranges := []Range{{First: 5, Count: 1}, {First: 700, Count: c.links / 2},
				{First: 9000, Count: c.links/2 - 2}, {First: 17000, Count: 1}}
			r := NewReceiver(v, 18432, func(_, _ int32) []Range { return ranges }, 1)
			table, pair := NewTable(v, 18432), [2]Block{}
			identities := NewIdentities(1)
			b.ResetTimer()
			for i := 0; i < b.N; {
				number := uint32(0)
				for range c.packets {
					m := HashedDelivery{Table: table, ID: identities.Next(&number), HopCount: 5, HopBit: uint8(i) & 1,
						CongestedCount: uint8(i>>1) & uint8(i>>2) & 1}
					r.Collect(&pair, &m)
					i++
				}
				r.Decode(&pair[0])
			}
		})
	}
}
