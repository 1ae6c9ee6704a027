package sampling

import "math"

// Threshold is what a link's Packets must exceed to show, with a probability of
// `level` that no noise has made it, that any packet crossed the link: under
// hashes
//
//	quantile(level) sqrt(sum over all packets that might have crossed it of l^2)
//
// (Taffet 2018, section 5.3, where all l are that of the longest path). Without
// noise it is 0: one sample is enough.
func (t *Table) Threshold(link int32, level float64) float64 {
	return t.estimator(link).threshold(level)
}

// Significant tells whether a link's Packets exceed its threshold. Of many links
// without a packet, the share 1-level seems to have some.
func (t *Table) Significant(link int32, level float64) bool {
	return t.Links[link].Packets > t.Threshold(link, level)
}

// Cleaned is a copy in which links that are not significant are empty, as in the
// figures of section 5.6 of the thesis (Taffet 2018), which have a level of 0.995.
func (t *Table) Cleaned(level float64) *Table {
	clean := &Table{t.Variant, make([]Entry, len(t.Links)), t.Received}
	for i := range t.Links {
		if t.Significant(int32(i), level) {
			clean.Links[i] = t.Links[i]
		}
	}
	return clean
}

func (j estimator) threshold(level float64) float64 {
	z := quantile(level)
	switch {
	case j.variant.Hashed():
		return z * math.Sqrt(max(0, j.e.PacketsVariance+j.e.Packets))
	case j.variant.Kind == Bloom:
		odds, _ := j.received.odds(j.variant)
		return z*math.Sqrt(max(0, j.e.PacketsVariance+odds*j.e.Packets)) + skewness(odds, z)
	}
	return 0
}

// quantile is that of the normal distribution.
func quantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(2*level-1) }

// LeastPackets is how many packets two hosts must exchange over paths of some
// hops so that a link that gets a share of them is expected to be seen: with
// hashes to reach the threshold of a level, (hops quantile(level) / share)^2
// packets, otherwise to be sampled once, which takes hops / share packets (Taffet
// 2018, section 5.3). Bloom filters see it with the first packet.
func LeastPackets(v Variant, hops int, share, level float64) float64 {
	switch {
	case v.Hashed():
		root := float64(hops) * quantile(level) / share
		return root * root
	case v.Kind == Bloom:
		return 1 / share
	}
	return float64(hops) / float64(min(hops, max(1, v.Slots))) / share
}
