package evalsim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"remap/workload"
)

// Times are picoseconds in 63 bits. What a rank does on its own may take half of
// that, and so may the network: their sum is never too long.
const (
	longestTime    = 1 << 62 // ps
	longestDays    = longestTime / 86400_000_000_000_000
	longestLatency = time.Second // of a link; many events are made before checkTime looks again
)

// mostExponential is above the largest exponential number that uniform gives.
const mostExponential = 37

// checkProgram refuses a program that has more packets in a message than 31 bits
// count, or times longer than longestTime, wherever its ranks sit.
func (n *network) checkProgram(p *workload.Program, o *Options) error {
	slowest := math.Inf(1) // of the rails, in bytes a second
	for i := range n.hostLinks {
		slowest = min(slowest, n.topology.Links[i].BytesPerSecond)
	}
	memory := 1e12 * slices.Min(append(n.memory, math.Inf(1))) // of the slowest host, in bytes a second
	copied := 0.0                                              // s: all messages, copied within one host
	for r := range int32(p.Ranks()) {
		own := 0.0 // s
		for i, op := range p.RankOps(r) {
			switch {
			case op.Kind == workload.Compute:
				own += float64(op.Bytes) / 1e9 * (1 + o.ComputeNoise*mostExponential)
			case op.Kind == workload.Idle:
				own += float64(op.Bytes) / slowest
			case op.Kind.IsSend():
				if op.Bytes/int64(o.PacketBytes) >= math.MaxInt32 {
					return fmt.Errorf("program: rank %d, operation %d: a message of %d bytes in packets of %d, "+
						"more than 2^31 of them", r, i, op.Bytes, o.PacketBytes)
				}
				copied += float64(op.Bytes) / memory
			}
		}
		if seconds := own + copied; seconds >= longestTime/1e12 {
			return fmt.Errorf("program: rank %d computes, idles or copies for up to %.0f days, "+
				"more than the %d that a simulation can hold", r, seconds/86400, longestDays)
		}
	}
	return nil
}

// checkTime ends a run whose context has ended, or whose time or counts grow too long.
func (s *simulator) checkTime(ctx context.Context) error {
	if s.wheel.now > longestTime>>s.wheel.shift {
		return s.tooLong()
	}
	if err := s.checkCounts(); err != nil {
		return err
	}
	return ctx.Err()
}

// tooLong is the error of a run whose time grows beyond longestTime.
func (s *simulator) tooLong() error {
	if s.endless {
		return fmt.Errorf("the run beside endless jobs takes more than the %d days that a simulation can hold: %s",
			longestDays, s.stands())
	}
	return fmt.Errorf("the run takes more than the %d days that a simulation can hold: "+
		"the network is too slow for its traffic; %s", longestDays, s.stands())
}
