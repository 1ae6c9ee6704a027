package evalsim

import (
	"math"
	"slices"

	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// Times at the full volume. A job whose program was scaled down (workload.Scale)
// is played twice by every run: as it is, at a share f of its volume, and as its
// Program.Smaller, at a share g, with the same seed. With T(f) and T(g) the time of
// the full volume is
//
//	T(1) = T(f) + (T(f) - T(g)) / (f - g) x (1 - f),
//
// the line through both. What does not grow with the volume, such as latencies,
// start jitter and the first packets' free ways, is in both and cancels. The
// scatter of chance is in the repeats, each of which is extrapolated, and so in
// their interval. What is left is that T is not straight: see volumeError.

// volumeError is the relative error of a time that is extrapolated from a program
// and its smaller one, beside the scatter of repeats; 0 without a smaller one.
// O(operations).
func volumeError(p *workload.Program, packetBytes int) float64 {
	if p.Smaller == nil {
		return 0
	}
	packets, squares := 0.0, 0.0
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() && op.Peer != r {
				k := math.Ceil(float64(max(1, op.Bytes)) / float64(packetBytes))
				packets += k
				squares += k * k
			}
		}
	}
	if packets == 0 {
		return 0
	}
	e := settledPackets * float64(p.Ranks()) / packets
	if sizeScaleOf(p) < 1 || sizeScaleOf(p.Smaller) < 1 {
		e += shortenedError / math.Sqrt(squares/packets)
	}
	return min(1, e*(1-scaleOf(p)))
}

// extrapolated is the time at the full volume of a job that takes large at a share f
// of it and small at a share g; at least what was simulated. In steady state a step
// takes what the line's slope says: it begins where the one before is ending.
func extrapolated(large, small, f, g float64, steady bool) float64 {
	slope := (large - small) / (f - g)
	if steady && slope > 0 {
		return slope
	}
	return max(large, large+slope*(1-f))
}

// sizeScaleOf is the factor of a program's message sizes.
func sizeScaleOf(p *workload.Program) float64 {
	if p.SizeScale > 0 {
		return p.SizeScale
	}
	return 1
}

// smaller lays the jobs out at their smaller volumes; nil when none is scaled.
// Only times are asked of it.
func smaller(t *topology.Topology, jobs []Job, o Options) (*Simulation, error) {
	if !slices.ContainsFunc(jobs, func(j Job) bool { return j.Program.Smaller != nil }) {
		return nil, nil
	}
	jobs = slices.Clone(jobs)
	for i := range jobs {
		if less := jobs[i].Program.Smaller; less != nil {
			jobs[i].Program = less
		}
	}
	o.Sampling = sampling.Variant{}
	o.FlowCounts, o.OwnLinks, o.Latencies, o.SliceLength = false, false, false, 0
	o.ByPhase, o.ByTag, o.ByCallSite = false, false, false
	o.Steps = max(1, o.Steps)
	return New(t, jobs, o)
}

// toFullVolume adds the times of the full volume to a result; less is what the
// smaller volumes came to, nil when there are none.
func (s *Simulation) toFullVolume(r, less *Result) {
	r.Full, r.FullError = make([]float64, len(s.jobs)), make([]float64, len(s.jobs))
	if less != nil {
		r.Small = less.StepTime
	}
	for i := range s.jobs {
		j := &s.jobs[i]
		p := j.Program
		if j.Endless { // it lasts as long as the others
			p = s.jobs[0].Program
		}
		switch f := scaleOf(p); {
		case less != nil && p.Smaller != nil:
			r.Full[i] = extrapolated(r.StepTime[i], less.StepTime[i], f, scaleOf(p.Smaller), s.options.Steps == 0)
			r.FullError[i] = j.volumeError
		default:
			r.Full[i] = r.StepTime[i] / f
		}
		r.FullMakespan = max(r.FullMakespan, r.Full[i])
	}
}

// FullTime is the makespan at the full volume in ns, also of a result that no
// simulation has made.
func (r *Result) FullTime() float64 {
	switch {
	case r.FullMakespan > 0:
		return r.FullMakespan
	case r.VolumeScale > 0:
		return r.Makespan / r.VolumeScale
	}
	return r.Makespan
}

// RelativeError is the error of FullTime beside the scatter of repeats: 0 at full volume.
func (r *Result) RelativeError() float64 {
	if len(r.FullError) == 0 {
		return 0
	}
	return r.FullError[0]
}

// widen adds an error of extrapolation to an interval of times.
func widen(low, high, relative float64) (float64, float64) {
	return low * (1 - min(1, relative)), high * (1 + relative)
}

// volumes are the medians of the first job's times at the simulated volume and at
// the smaller one; 0 where nothing was scaled.
func volumes(results []*Result) (medians [2]float64) {
	var large, small []float64
	for _, r := range results {
		if len(r.Small) > 0 {
			large, small = append(large, r.StepTime[0]), append(small, r.Small[0])
		}
	}
	for i, times := range [][]float64{large, small} {
		medians[i], _, _, _ = MedianInterval(times)
	}
	return medians
}

// Unsettled tells why two summaries of one job do not say which mapping is faster
// at the full volume: their intervals overlap, or their order differs between the two
// volumes or from the extrapolated one. It is empty where they do, and where nothing was
// scaled. Without intervals, below 6 repeats, the error of extrapolation alone
// is one.
func (s *Summary) Unsettled(other *Summary) string {
	if s.volumes[1] == 0 || other.volumes[1] == 0 || s.volumes == other.volumes { // the last: one mapping
		return ""
	}
	fast, slow := s, other
	if fast.ElapsedNS > slow.ElapsedNS {
		fast, slow = other, s
	}
	for i := range fast.volumes {
		if fast.volumes[i] > slow.volumes[i] {
			return "order differs between volumes"
		}
	}
	high, low := float64(fast.ElapsedNS)*(1+fast.VolumeError), float64(slow.ElapsedNS)*(1-slow.VolumeError)
	if fast.ElapsedNSHigh != nil && slow.ElapsedNSLow != nil {
		high, low = float64(*fast.ElapsedNSHigh), float64(*slow.ElapsedNSLow)
	}
	if high >= low {
		return "intervals overlap"
	}
	return ""
}
