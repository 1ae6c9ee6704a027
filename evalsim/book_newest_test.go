package evalsim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
)

// TestNewestCreditAgrees compares timing the newest credit with timing all in random
// cases of networks with one virtual channel. Where auto takes the newest, the mean
// over seeds of a case's makespan is within 1 % or 4 standard errors, congested
// fractions of all its packets are within 0.01, and all cases together are within 0.1 %
// and 0.002. The log has the ablation of the limit: cases by the part of a buffer that
// a round trip fills.
func TestNewestCreditAgrees(t *testing.T) {
	t.Parallel()
	cases, first := tier.Cases(3, 30, 400), 3000 // BookAgrees has those up to 200
	const quarter = 1. / 4
	limits := []float64{1. / 8, quarter, 1. / 3, 1. / 2, 2. / 3, 1, math.Inf(1)}
	outcomes := make([][]*bookOutcome, len(limits))
	for n := first; n < first+cases; n++ {
		c := newBookCase(t, n)
		if c.top.Routes.VirtualChannels > 1 {
			continue
		}
		trip := c.roundTrip() / float64(c.options.BufferBytes)
		x := compareBook(c, 0, 5, 10, func(seed uint64) (ours, theirs bookRun) {
			ours, timed := c.playCredits(t, seed, evalsim.CreditsNewest)
			theirs, _ = c.playCredits(t, seed, evalsim.CreditsExact)
			if _, auto := c.playCredits(t, seed, evalsim.CreditsAuto); (auto == timed) != (trip <= quarter) {
				t.Fatalf("case %d: round trips of %.3f of a buffer: auto takes %v", n, trip, auto)
			}
			return ours, theirs
		})
		bin := 0
		for trip > limits[bin] {
			bin++
		}
		outcomes[bin] = append(outcomes[bin], x)
		if limits[bin] <= quarter && (math.Abs(x.bias) > max(bookTime, bookSigmas*x.err) ||
			math.Abs(x.fraction) > 0.01) {
			t.Errorf("case %d, %s: time %+.2f %% off (+-%.2f), congested fraction %+.4f",
				n, c.name, 100*x.bias, 100*x.err, x.fraction)
		}
	}
	for i, some := range outcomes {
		tellNewest(t, fmt.Sprintf("up to %.3f of a buffer", limits[i]), some, limits[i] <= quarter)
	}
}

// tellNewest writes a row of the ablation, and tests cases where auto takes the newest.
func tellNewest(t *testing.T, name string, outcomes []*bookOutcome, roomy bool) {
	t.Helper()
	if len(outcomes) == 0 {
		return
	}
	var times, fractions []float64
	most, worst := 0.0, 0.0
	for _, x := range outcomes {
		times, fractions = append(times, x.bias), append(fractions, x.fraction)
		most, worst = max(most, math.Abs(x.bias)), max(worst, math.Abs(x.fraction))
	}
	mean, err := meanError(times)
	fraction, fractionErr := meanError(fractions)
	t.Logf("%-28s %3d cases: time %+.3f %% (+-%.3f), most %.2f %%; congested fraction %+.4f (+-%.4f), most %.4f",
		name, len(outcomes), 100*mean, 100*err, 100*most, fraction, fractionErr, worst)
	if roomy && (math.Abs(mean) > max(0.001, bookSigmas*err) ||
		math.Abs(fraction) > max(0.002, bookSigmas*fractionErr)) {
		t.Errorf("%s: the newest credit alone is off in the mean", name)
	}
}

// playCredits runs evalsim with some way of timing credits, and says which it took.
func (c *bookCase) playCredits(t testing.TB, seed uint64, credits evalsim.Credits) (bookRun,
	evalsim.Credits) {
	t.Helper()
	o := c.options
	o.Seed, o.Credits = seed, credits
	r, err := evalsim.Run(context.Background(), c.top,
		[]evalsim.Job{{Program: c.program(seed), Hosts: c.hosts}}, o)
	if err != nil {
		t.Fatalf("case %d: %v", c.number, err)
	}
	run := bookRun{makespan: r.Makespan / 1000}
	for i := range r.Links {
		packets := r.Links[i].Packets
		if c.top.IsHost(c.top.Links[i].From) {
			packets = 0
		}
		run.packets, run.congested = append(run.packets, packets), append(run.congested, r.Links[i].Congested)
	}
	return run, r.Credits
}

// roundTrip is what evalsim decides by: see roundTrip in credits.go.
func (c *bookCase) roundTrip() (bytes float64) {
	ahead, size, hop := 0.0, float64(c.options.PacketBytes), c.options.SwitchLatency.Seconds()
	for _, l := range c.top.Links {
		delay := l.Latency.Seconds()
		if !c.top.IsHost(l.To) {
			delay += hop
		}
		ahead = max(ahead, size/l.BytesPerSecond-delay)
	}
	for _, l := range c.top.Links {
		bytes = max(bytes, (ahead+2*l.Latency.Seconds()+hop)*l.BytesPerSecond)
	}
	return bytes + size
}
