package sampling_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/sampling"
)

// stored is what a stream has emitted.
type stored struct {
	slices []int64
	tables []*sampling.Sparse
}

func (s *stored) take(slice int64, table *sampling.Sparse) {
	s.slices = append(s.slices, slice)
	s.tables = append(s.tables, table)
}

// packets are headers of some traffic as receivers get them.
func (t *traffic) packets(v sampling.Variant, seed uint64) []sampling.Packet {
	random := sampling.NewRandom(seed)
	device := sampling.NewSwitch(v, t.links, &random)
	all := make([]sampling.Packet, len(t.ways))
	for i, way := range t.ways {
		p := &all[i]
		p.Reset(v)
		p.ID, p.Source = random.Uint32()>>20, int32(i%3)
		for _, c := range way {
			device.Cross(&p.Header, p.ID, c.link, c.congested)
		}
	}
	return all
}

// paths are all links of the traffic.
func (t *traffic) paths() sampling.Paths {
	all := []sampling.Range{{First: 0, Count: int32(t.links)}}
	return func(_, _ int32) []sampling.Range { return all }
}

// Slices ascend, each comes once, and their sum is the whole, however late
// packets are; every packet within the tolerance is in its own slice.
func TestStream(t *testing.T) {
	some := fixedTraffic(120)
	for _, name := range []string{"full", "one-bit", "one-reservoir", "one-bit,hash=crc"} {
		v := parse(t, name)
		packets := some.packets(v, 3)
		rapid.Check(t, func(t *rapid.T) {
			length, tolerance := rapid.Int64Range(1, 40).Draw(t, "length"),
				rapid.Int64Range(0, 100).Draw(t, "tolerance")
			var got stored
			stream, err := sampling.NewStream(v, some.links, some.paths(), 1, length, tolerance, got.take)
			if err != nil {
				t.Fatal(err)
			}
			receiver, whole := sampling.NewReceiver(v, some.links, some.paths(), 1), sampling.NewTable(v, some.links)
			now, late := rapid.Int64Range(-500, 500).Draw(t, "start"), int64(0)
			own := map[int64]int64{}
			for i := range packets {
				arrival := now + rapid.Int64Range(-150, 60).Draw(t, "step")
				now = max(now, arrival)
				if i == 0 {
					now = arrival
				}
				stream.Receive(arrival, &packets[i])
				receiver.Receive(whole, &packets[i])
				slice := floor(arrival, length)
				if slice < floor(now-tolerance, length) {
					late++
					slice = floor(now, length)
				}
				own[slice]++
			}
			stream.Flush()
			receiver.Flush()
			if stream.Late != late {
				t.Fatalf("%d late packets, want %d", stream.Late, late)
			}
			if !slices.IsSorted(got.slices) || len(slices.Compact(slices.Clone(got.slices))) != len(got.slices) {
				t.Fatalf("slices %v", got.slices)
			}
			for i, slice := range got.slices {
				if got.tables[i].Received.Packets != own[slice] {
					t.Fatalf("slice %d has %d packets, want %d", slice, got.tables[i].Received.Packets, own[slice])
				}
			}
			equal(t, "the whole", merge(t, got.tables...), whole.Sparse())
		})
	}
}

func floor(x, n int64) int64 {
	q := x / n
	if x%n < 0 {
		q--
	}
	return q
}

// A slice is emitted as soon as nothing can come for it.
func TestStreamEmits(t *testing.T) {
	packets := fixedTraffic(5).packets(sampling.Reservoirs, 1)
	var got stored
	stream, err := sampling.NewStream(sampling.Reservoirs, 17, nil, 0, 10, 5, got.take)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		arrival int64
		emitted []int64
		late    int64
	}{{3, nil, 0}, {12, nil, 0}, {14, nil, 0}, {9, nil, 0}, {15, []int64{0}, 0}, {9, []int64{0}, 1},
		{1 << 60, []int64{0, 1}, 1}} {
		stream.Receive(step.arrival, &packets[i%5])
		if !slices.Equal(got.slices, step.emitted) || stream.Late != step.late {
			t.Errorf("arrival %d: emitted %v, %d late", step.arrival, got.slices, stream.Late)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	for _, c := range [][2]int64{{0, 0}, {-1, 0}, {5, -1}, {1, 5000}} {
		if _, err := sampling.NewStream(sampling.Reservoirs, 1, nil, 0, c[0], c[1], nil); err == nil {
			t.Errorf("slices of %d with a tolerance of %d", c[0], c[1])
		}
	}
}
