package evalsim

import (
	"testing"

	"remap/sampling"
)

// The simulator keeps a packet's reservoirs beside the packet, for speed; what
// its switches do to them is what sampling.Header.Cross does, draw by draw.
func TestSampleIsCross(t *testing.T) {
	s := &simulator{sampling: true, samples: make([]reservoirs, 1), sampler: sampling.NewRandom(3)}
	reference := sampling.NewRandom(3)
	congestion := sampling.NewRandom(4)
	for range 2000 {
		var h sampling.Header
		var pk packet
		s.samples[0] = reservoirs{}
		for link := range int32(1 + congestion.Below(300)) {
			congested := congestion.Below(3) == 0
			h.Cross(link, congested, &reference)
			s.cross(0, &pk, link, congested)
			got := sampling.Header{HopLink: s.samples[0].hop, CongestedLink: s.samples[0].congested, HopCount: pk.hops, CongestedCount: pk.congested}
			if got != h {
				t.Fatalf("after link %d: %+v, sampling has %+v", link, got, h)
			}
		}
	}
}
