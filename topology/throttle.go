package topology

import (
	"fmt"
	"slices"
)

// Throttle gives the network with every link at a share (length links, above 0
// and at most 1) of its rate, each direction alone; t is not changed. Routes stay.
func Throttle(t *Topology, share []float64) (*Topology, error) {
	if len(share) != len(t.Links) {
		return nil, fmt.Errorf("%d shares of rates for %d links", len(share), len(t.Links))
	}
	d := *t
	d.Links = slices.Clone(t.Links)
	for l, s := range share {
		if !(s > 0 && s <= 1) {
			return nil, fmt.Errorf("a share of %g of the rate of link %d", s, l)
		}
		d.Links[l].BytesPerSecond *= s
	}
	return &d, nil
}
