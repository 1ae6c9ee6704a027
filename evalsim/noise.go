package evalsim

import (
	"math"

	"remap/workload"
)

// Random computing and start times are hashes of the seed, job, rank and
// operation: the same for every mapping, and whatever else happens.

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform is a number in (0, 1] for an operation of a rank.
func (s *simulator) uniform(r, op int32) float64 {
	k := &s.ranks[r]
	own := uint64(uint32(r - s.jobs[k.job].firstRank))
	x := mix(mix(mix(s.seed)^uint64(k.job)<<32^own) ^ uint64(uint32(op)))
	return float64(x>>11+1) / (1 << 53)
}

// startOfRank is the operation number that stands for a rank's start.
const startOfRank = -1

// startTime is when a rank begins, uniform in the jitter, in ps.
func (s *simulator) startTime(r int32) int64 {
	return int64((1 - s.uniform(r, startOfRank)) * float64(s.options.StartJitter.Nanoseconds()) * 1000)
}

// computeTime is how long a Compute takes, in ps.
func (s *simulator) computeTime(r int32, op *workload.Op) int64 {
	time := op.Bytes * 1000
	if noise := s.options.ComputeNoise; noise > 0 {
		k := &s.ranks[r]
		first := s.jobs[k.job].Program.Offsets[r-s.jobs[k.job].firstRank]
		own := k.op - first + k.step*(k.end-first)
		time += int64(float64(time) * noise * -math.Log(s.uniform(r, own)))
	}
	return time
}
