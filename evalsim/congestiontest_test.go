package evalsim

import (
	"math"
	"testing"

	"remap/sampling"
)

// Every definition says yes on one side of its bound and no on it, and judges
// the queue with the packet or, at arrival, without it.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		rule            CongestionRule
		at              CongestionPoint
		bytes           int
		queued, credits int32 // the packet of 1000 bytes included
		want            bool
	}{
		{QueueAboveCredits, AtQueueing, 0, 5000, 5000, false},
		{QueueAboveCredits, AtQueueing, 0, 5001, 5000, true},
		{QueueAboveCredits, AtArrival, 0, 6000, 5000, false},
		{QueueAboveCredits, AtArrival, 0, 6001, 5000, true},
		{QueueAboveCredits, AtDeparture, 0, 5001, 5000, true},
		{QueueAbove, AtQueueing, 4000, 4000, 0, false},
		{QueueAbove, AtQueueing, 4000, 4001, 0, true},
		{QueueAbove, AtArrival, 4000, 5000, 0, false},
		{QueueAbove, AtArrival, 4000, 5001, 0, true},
		{QueueAbove, AtDeparture, 4000, 4001, 0, true},
		{CreditsBelow, AtQueueing, 3000, 0, 3000, false},
		{CreditsBelow, AtQueueing, 3000, 0, 2999, true},
		{CreditsBelow, AtArrival, 3000, 1000, 2999, true},
		{Probabilistic, AtArrival, 3000, 1000, 0, false},
		{Probabilistic, AtQueueing, 3000, 3000, 0, true},
	} {
		j := newCongestionTest(Congestion{c.rule, c.bytes, c.at})
		j.random = sampling.NewRandom(1)
		if got := j.congested(c.credits, c.queued, 1000); got != c.want {
			t.Errorf("%v at %s, %d bytes queued, %d credits: %v", j.Congestion, pointNames[c.at], c.queued,
				c.credits, got)
		}
	}
}

// Probabilistic says yes with probability queue / bytes.
func TestProbabilisticRate(t *testing.T) {
	const draws = 200_000
	for _, queued := range []int32{1, 100, 2500, 5000, 9900, 12000} {
		j := newCongestionTest(Congestion{Probabilistic, 10000, AtQueueing})
		j.random = sampling.NewRandom(uint64(queued))
		found := 0
		for range draws {
			if j.congested(0, queued, 1) {
				found++
			}
		}
		p := min(1, float64(queued)/10000)
		if limit := 5*math.Sqrt(draws*p*(1-p)) + 1e-9; math.Abs(float64(found)-draws*p) > limit {
			t.Errorf("%d bytes: %d of %d, want %g within %g", queued, found, draws, draws*p, limit)
		}
	}
}
