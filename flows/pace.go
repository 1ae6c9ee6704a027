package flows

import (
	"context"
	"time"
)

// pace holds the time of a rank: it sleeps for computing and idling, and bounds the number
// of operations a second (operationTime).
type pace struct {
	owed       time.Duration // not slept yet; below 0 after a sleep that was too long
	operations int           // since the last call of begin
	since      time.Time     // of that call
	owedThen   time.Duration // owed at that call
}

// begin starts counting operations.
func (p *pace) begin() { p.since, p.operations, p.owedThen = time.Now(), 0, p.owed }

// count counts an operation and settles where a batch is full.
func (p *pace) count(ctx context.Context) error {
	p.operations++
	if p.operations < operationBatch {
		return nil
	}
	return p.settle(ctx)
}

// settle sleeps where operations since the last call took less than their least time, with
// what they still have to sleep.
func (p *pace) settle(ctx context.Context) error {
	least := time.Duration(p.operations) * operationTime
	taken := time.Since(p.since) + max(0, p.owed-p.owedThen)
	err := p.sleep(ctx, max(0, least-taken))
	p.begin()
	return err
}

// sleep sleeps for so long; short sleeps are put together.
func (p *pace) sleep(ctx context.Context, d time.Duration) error {
	p.owed += min(d, maxSleep)
	if p.owed < shortestSleep {
		return ctx.Err()
	}
	began := time.Now()
	timer := time.NewTimer(p.owed)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	p.owed = max(p.owed-time.Since(began), -shortestSleep)
	return nil
}

// maxSleep keeps sums of times countable.
const maxSleep = 1000 * time.Hour
