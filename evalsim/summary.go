package evalsim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Summary is a set of repeats in the numbers that tables and JSON show.
type Summary struct {
	Repeats int `json:"repeats"`

	// ElapsedNS is the time of a step at the full volume: median over repeats.
	ElapsedNS int64 `json:"elapsed_ns"`

	// ElapsedNSLow and ElapsedNSHigh are the 95 % interval of this median, VolumeError
	// included; nil below 6 repeats.
	ElapsedNSLow  *int64 `json:"elapsed_ns_low"`
	ElapsedNSHigh *int64 `json:"elapsed_ns_high"`

	// Steps is the number of complete steps of a repeat: median.
	Steps int `json:"steps"`

	// Drift is how much longer later steps take than earlier ones, as a fraction, without the
	// steps of the warm-up: mean over repeats.
	Drift float64 `json:"drift"`

	// Packets is the number of packets of all steps, summed over repeats.
	Packets int64 `json:"packets"`

	// PacketHops is the number of links crossed, links of hosts included, summed over repeats.
	PacketHops int64 `json:"packet_hops"`

	// CongestedHopFraction is the fraction of crossed switch ports that were congested.
	CongestedHopFraction float64 `json:"congested_hop_fraction"`

	// VolumeScale is the share of the volume that was simulated. Packets, hops and congestion
	// are of this share.
	VolumeScale float64 `json:"volume_scale"`

	// VolumeError is the relative error of the times that is due to extrapolation to the full
	// volume, without the scatter of repeats.
	VolumeError float64 `json:"volume_error,omitempty"`

	// volumes are medians in ns at the simulated volume and at the smaller one; 0 at full
	// volume.
	volumes [2]float64
}

// Summarize reduces repeats of one job to medians and sums.
func Summarize(results []*Result) Summary {
	s := Summary{Repeats: len(results), VolumeScale: 1}
	times, relative := make([]float64, len(results)), 0.0
	var hops, congested int64
	var steps []int
	for i, r := range results {
		times[i], relative = r.FullTime(), r.RelativeError()
		s.Packets += r.Packets
		s.PacketHops += r.PacketHops
		hops += r.PortHops
		congested += r.Congested
		s.VolumeScale = r.VolumeScale
		if len(r.Steps) > 0 {
			steps = append(steps, r.Steps[0])
			s.Drift += r.Drift[0] / float64(len(results))
		}
	}
	if slices.Sort(steps); len(steps) > 0 {
		s.Steps = steps[len(steps)/2]
	}
	if hops > 0 {
		s.CongestedHopFraction = float64(congested) / float64(hops)
	}
	s.ElapsedNS, s.ElapsedNSLow, s.ElapsedNSHigh = medianNS(times, relative)
	s.VolumeError, s.volumes = relative, volumes(results)
	if s.ElapsedNSLow != nil && relative > 0 { // what was simulated is a part of the full volume
		*s.ElapsedNSLow = max(*s.ElapsedNSLow, min(s.ElapsedNS, int64(s.volumes[0])))
	}
	return s
}

// medianNS rounds MedianInterval to ns, widened by a relative error; low and high
// are nil without interval.
func medianNS(times []float64, relative float64) (int64, *int64, *int64) {
	median, low, high, ok := MedianInterval(times)
	m := int64(math.Round(median))
	if !ok {
		return m, nil, nil
	}
	low, high = widen(low, high, relative)
	l, h := int64(math.Round(low)), int64(math.Round(high))
	return m, &l, &h
}

// JobSummary is what one job among several has seen of a set of repeats.
type JobSummary struct {
	// Name: the caller's.
	Name string `json:"name"`
	// ElapsedNS: of a step at the full volume: median over repeats.
	ElapsedNS int64 `json:"elapsed_ns"`
	// ElapsedNSLow: 95 % interval of the median; nil below 6 repeats.
	ElapsedNSLow *int64 `json:"elapsed_ns_low"`
	// ElapsedNSHigh: .
	ElapsedNSHigh *int64 `json:"elapsed_ns_high"`
	// Packets: summed over repeats.
	Packets              int64   `json:"packets"`
	CongestedHopFraction float64 `json:"congested_hop_fraction"`
}

// SummarizeJobs reduces repeats to one summary for every job, in the order of
// the jobs; congested hops are those that the job's own packets met. names are
// those of the first jobs; the others stay nameless.
func SummarizeJobs(results []*Result, names ...string) []JobSummary {
	if len(results) == 0 {
		return nil
	}
	jobs := make([]JobSummary, len(results[0].Elapsed))
	times := make([]float64, len(results))
	for j := range jobs {
		s := &jobs[j]
		var hops, congested int64
		relative := 0.0
		for i, r := range results {
			if times[i] = r.Elapsed[j]; len(r.Full) > 0 {
				times[i], relative = r.Full[j], r.FullError[j]
			}
			s.Packets += r.Jobs[j].Packets
			hops += r.Jobs[j].PortHops
			congested += r.Jobs[j].Congested
		}
		if j < len(names) {
			s.Name = names[j]
		}
		if hops > 0 {
			s.CongestedHopFraction = float64(congested) / float64(hops)
		}
		s.ElapsedNS, s.ElapsedNSLow, s.ElapsedNSHigh = medianNS(times, relative)
	}
	return jobs
}

// MedianInterval is the median of values and its distribution-free 95 %
// interval from order statistics: the k-th least and k-th greatest value with
// the largest k for which P(Binomial(n, 1/2) < k) <= 2.5 % (Conover 1999,
// section 3.2). ok is false below 6 values, where no such interval exists.
func MedianInterval(values []float64) (median, low, high float64, ok bool) {
	n := len(values)
	if n == 0 {
		return 0, 0, 0, false
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	median = (sorted[(n-1)/2] + sorted[n/2]) / 2
	binomial := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for binomial.CDF(float64(k)) <= 0.025 {
		k++
	}
	if k == 0 {
		return median, 0, 0, false
	}
	return median, sorted[k-1], sorted[n-k], true
}
