package workload

import "time"

// InjectionBound is the longest time any rank needs until its last message to
// another has left at that rate, idle operations before it included because
// they take the same time: no mapping of one rank a host is faster. Self traffic
// is not injected, and idling after the last message delays nobody.
func InjectionBound(p *Program, bytesPerSecond float64) time.Duration {
	var most int64
	for r := range int32(p.Ranks()) {
		var sum int64
		for _, op := range p.RankOps(r) {
			switch {
			case op.Kind == Idle:
				sum += op.Bytes
			case op.Peer != r:
				sum += op.Bytes
				most = max(most, sum)
			}
		}
	}
	return InjectionTime(most, bytesPerSecond)
}

// EjectionBound is the time the rank that receives the most bytes from others
// needs to take them in at that rate.
func EjectionBound(p *Program, bytesPerSecond float64) time.Duration {
	received := make([]int64, p.Ranks())
	var most int64
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind == Send && op.Peer != r {
				received[op.Peer] += op.Bytes
				most = max(most, received[op.Peer])
			}
		}
	}
	return InjectionTime(most, bytesPerSecond)
}
