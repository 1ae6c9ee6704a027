package evalsim

import (
	"reflect"
	"testing"

	"remap/sampling"
	"remap/topology"
)

// The simulator packs a packet's reservoirs, for speed; what its switches do to
// them is what sampling.Switch does, draw by draw, under every variant and width
// of the counters.
func TestSampleIsCross(t *testing.T) {
	for _, text := range []string{"full", "full,counter=2", "one-reservoir," +
		"hash=whole", "one-reservoir,hash=whole,counter=3"} {
		v, err := sampling.ParseVariant(text)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse("torus:2")
		if err != nil {
			t.Fatal(err)
		}
		n, err := layOut(top, &Options{PacketBytes: 64, BufferBytes: 128, Sampling: v})
		if err != nil {
			t.Fatal(err)
		}
		s := &simulator{found: make([]uint32, 300), sampler: sampling.NewRandom(3)}
		s.carrier = newCarrier(n, v, 0, &s.sampler)
		reference := sampling.NewRandom(3)
		device := sampling.NewSwitch(v, 300, &reference)
		congestion := sampling.NewRandom(4)
		for range 2000 {
			var h sampling.Header
			var pk packet
			for link := range int32(1 + congestion.Below(300)) {
				congested := congestion.Below(3) == 0
				device.Cross(&h, 0, link, congested)
				s.cross(0, &pk, link, link, congested)
				if got := s.header(pk.hop, pk.congested); !reflect.DeepEqual(got, h) {
					t.Fatalf("%s: after link %d: %+v, sampling has %+v", text, link, got, h)
				}
			}
		}
	}
}
