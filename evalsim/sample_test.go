package evalsim

import (
	"testing"

	"remap/sampling"
)

// The simulator packs a packet's reservoirs, for speed; what its switches do to
// them is what sampling.Header.Cross does, draw by draw.
func TestSampleIsCross(t *testing.T) {
	s := &simulator{sampling: true, found: make([]uint32, 300), sampler: sampling.NewRandom(3)}
	reference := sampling.NewRandom(3)
	congestion := sampling.NewRandom(4)
	for range 2000 {
		var h sampling.Header
		var pk packet
		for link := range int32(1 + congestion.Below(300)) {
			congested := congestion.Below(3) == 0
			h.Cross(link, congested, &reference)
			s.cross(&pk, link, link, congested)
			if got := header(pk.hop, pk.congested); got != h {
				t.Fatalf("after link %d: %+v, sampling has %+v", link, got, h)
			}
		}
	}
}
