package sampling

import "fmt"

// Bandwidth is a link's utilised bandwidth in bytes a second (Taffet 2018,
// section 4.2), if its packets have that many bytes each on average and took so
// many seconds, such as from the first to the last arrival of a phase. The
// arrival at the receiver stands for the crossing of the link.
func (t *Table) Bandwidth(link int32, packetBytes, seconds float64) Estimate {
	return t.PacketsEstimate(link).times(packetBytes / seconds)
}

// Bandwidth is that of Table.
func (s *Sparse) Bandwidth(link int32, packetBytes, seconds float64) Estimate {
	return s.PacketsEstimate(link).times(packetBytes / seconds)
}

func (e Estimate) times(factor float64) Estimate {
	return Estimate{e.Value * factor, e.Low * factor, e.High * factor}
}

// Use is how a link was used over time, in bytes a second.
type Use struct {
	// First, Last: slices in which the link's packets begin and end.
	First, Last int64
	// Mean: over all slices from the first to the last.
	Mean Estimate
	// Peak: of the slice with the highest bandwidth.
	Peak Estimate
	// PeakSlice: the one with the highest estimate.
	PeakSlice int64
}

// UseOf is a link's use by slices of time, which ascend in Key.Slice as those of a
// Stream or a Breakdown by slice do; slices that are missing had no packets. It is
// false for a link that has packets in no slice.
//
// The first and the last slice may be used in part: slices should be short against
// the time of use. On the other hand they should have ten samples of the link,
// since a slice counts as used with the first sample only, under hashes and
// filters when its packets are significant. The peak's interval holds for the
// highest bandwidth of any slice: that the highest of many estimates is too high
// by selection is allowed for (Bonferroni), so it covers that in more than 95 %
// of cases.
func UseOf(parts []Part, link int32, packetBytes, sliceSeconds float64) (use Use, ok bool, err error) {
	for i := range parts[:max(0, len(parts)-1)] {
		if parts[i].Key.Slice >= parts[i+1].Key.Slice {
			return Use{}, false, fmt.Errorf("slice %d after slice %d: slices must ascend", parts[i+1].Key.Slice,
				parts[i].Key.Slice)
		}
	}
	level := 1 - 0.025/float64(max(1, len(parts)))
	first, last := -1, -1
	for i := range parts {
		j := parts[i].Samples.estimator(link)
		if j.e.Packets > j.threshold(level) {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return Use{}, false, nil
	}
	used := parts[first : last+1]
	use.First, use.Last = parts[first].Key.Slice, parts[last].Key.Slice
	var sum Entry
	var received Totals
	rate := packetBytes / sliceSeconds
	for i := range used {
		j := used[i].Samples.estimator(link)
		sum.add(j.e)
		received.add(j.received)
		slice := j.packets(quantile(level)).times(rate)
		if i == 0 || slice.Value > use.Peak.Value {
			use.Peak.Value, use.PeakSlice = slice.Value, used[i].Key.Slice
		}
		use.Peak.Low, use.Peak.High = max(use.Peak.Low, slice.Low), max(use.Peak.High, slice.High)
	}
	slices := float64(use.Last - use.First + 1)
	use.Mean = estimator{used[0].Samples.Variant, &received, &sum}.packets(normal95).times(rate / slices)
	return use, true, nil
}
