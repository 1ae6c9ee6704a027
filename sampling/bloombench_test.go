package sampling

import (
	"testing"
)

func TestBloomAllocations(t *testing.T) {
	b := bloomTraffic{64, 5, 2, 800, 1}
	random := NewRandom(1)
	device, receiver := NewSwitch(b.variant(), b.candidates, &random),
		NewReceiver(b.variant(), b.candidates, benchPaths(b), 1)
	table := NewTable(b.variant(), b.candidates)
	var p Packet
	id := uint32(0)
	if n := testing.AllocsPerRun(100, func() {
		id++
		b.cross(device, &p, id)
		receiver.Receive(table, &p)
	}); n != 0 {
		t.Errorf("%g allocations a packet", n)
	}
}

func benchPaths(b bloomTraffic) Paths {
	ranges := b.paths(0, 0)
	return func(int32, int32) []Range { return ranges }
}

func BenchmarkBloomReceive(b *testing.B) {
	for _, traffic := range []bloomTraffic{{8, 5, 0, 800, 64}, {32, 5, 0, 800, 64}, {64, 5, 0, 800, 64},
		{64, 5, 2, 800, 64}, {61, 5, 2, 800, 64}, {256, 5, 2, 800, 64}, {64, 40, 10, 800, 64}} {
		b.Run(traffic.String(), func(b *testing.B) {
			random := NewRandom(1)
			device, receiver := NewSwitch(traffic.variant(), 800, &random),
				NewReceiver(traffic.variant(), 800, benchPaths(traffic), 1)
			table := NewTable(traffic.variant(), 800)
			packets := make([]Packet, 512)
			for i := range packets {
				traffic.cross(device, &packets[i], uint32(i))
			}
			receiver.Receive(table, &packets[0])
			i := 0
			for b.Loop() {
				receiver.Receive(table, &packets[i%len(packets)])
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/800, "ns/candidate")
		})
	}
}

func BenchmarkBloomCross(b *testing.B) {
	traffic := bloomTraffic{64, 5, 0, 800, 1}
	random := NewRandom(1)
	device := NewSwitch(traffic.variant(), 800, &random)
	var p Packet
	for id := uint32(0); b.Loop(); id++ {
		traffic.cross(device, &p, id)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5, "ns/hop")
}

func BenchmarkNewBloomWeights(b *testing.B) {
	for b.Loop() {
		bloomWeights(MaxBits, int(bloomHashes(MaxBits)))
	}
}
