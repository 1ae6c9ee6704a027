package sampling_test

import (
	"testing"

	"remap/sampling"
)

// BenchmarkReceive is what a receiver does for a packet, in the middle of a
// stream of several senders of 64 packets each over 3 of 96 links.
func BenchmarkReceive(b *testing.B) {
	for _, text := range []string{"full", "n=2", "one-reservoir,hash=whole", "one-reservoir"} {
		b.Run("sampling="+text, func(b *testing.B) {
			v, err := sampling.ParseVariant(text)
			if err != nil {
				b.Fatal(err)
			}
			const links = 96
			random := sampling.NewRandom(1)
			device := sampling.NewSwitch(v, links, &random)
			packets := make([]sampling.Packet, 4096)
			for i := range packets {
				p := &packets[i]
				p.ID, p.Source = uint32(i), int32(i/64%16)
				p.Reset(v)
				for range 3 {
					device.Cross(&p.Header, p.ID, int32(random.Below(links)), random.Below(4) == 0)
				}
			}
			candidates := []sampling.Range{{First: 0, Count: links}}
			r := sampling.NewReceiver(v, links, func(_, _ int32) []sampling.Range { return candidates }, 64)
			table := sampling.NewTable(v, links)
			b.ResetTimer()
			for i := range b.N {
				r.Receive(table, &packets[i&4095])
			}
			r.Flush()
		})
	}
}
