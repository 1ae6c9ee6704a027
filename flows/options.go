package flows

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"runtime"
	"time"

	"remap/workload"
)

// Options of a job. Start from DefaultOptions.
type Options struct {
	// HostBytesPerSecond is the rate of a host's link, for Idle operations. It may be 0 for
	// programs without these.
	HostBytesPerSecond float64

	// Steps is how many times every rank plays its program. 0 = until the context ends.
	Steps int64

	// Duration ends the job so long after its connections are made. 0 = no bound.
	Duration time.Duration

	// SendBuffer is the size of the kernel's send buffer of a connection in bytes (SO_SNDBUF).
	// The buffer also holds bytes that are sent and not acknowledged, so a small one limits the
	// rate to its size a round trip. 0 = chosen by the kernel. Linux only, as the next one.
	SendBuffer int

	// ReceiveBuffer is the size of the kernel's receive buffer in bytes (SO_RCVBUF).
	// 0 = chosen by the kernel.
	ReceiveBuffer int

	// UnsentBytes: the kernel takes bytes of a connection while fewer than these are not yet
	// sent, and a send is done when less than half of these are not (TCP_NOTSENT_LOWAT). 0 = no
	// bound: a send is done when the kernel has taken its last byte. Ignored outside of Linux.
	UnsentBytes int

	// CongestionControl is the name of the kernel's algorithm, such as cubic, reno or dctcp
	// (TCP_CONGESTION, Linux only). Empty = chosen by the kernel.
	CongestionControl string

	// FirstPort is the port at which hosts listen; the sender's ends of their connections have the next
	// ones, in the order of links (Job.Ports of them on the host with most). The same job then has the
	// same connections whenever it is started, as far as switches can tell that hash addresses and ports.
	// 0 = chosen by the kernel.
	FirstPort int

	// ConnectTimeout is the longest time for making all connections. 0 = 20 s.
	ConnectTimeout time.Duration
}

// DefaultOptions bound the unsent bytes to 16 KiB and leave all else to the kernel.
func DefaultOptions() Options { return Options{UnsentBytes: unsentBytes} }

// Validate names the first field that is out of bounds.
func (o Options) Validate() error {
	for _, size := range []struct {
		name  string
		value int
	}{{"send buffer", o.SendBuffer}, {"receive buffer", o.ReceiveBuffer}, {"unsent bytes", o.UnsentBytes}} {
		if size.value < 0 || size.value > math.MaxInt32/2 {
			return fmt.Errorf("%s %d: must be 0 to 2^30 bytes", size.name, size.value)
		}
	}
	switch {
	case !(o.HostBytesPerSecond >= 0 && o.HostBytesPerSecond <= 1e15):
		return fmt.Errorf("host bytes per second %g: must be 0 to 1e15", o.HostBytesPerSecond)
	case o.Steps < 0:
		return fmt.Errorf("steps %d: must not be negative", o.Steps)
	case o.Duration < 0:
		return fmt.Errorf("duration %v: must not be negative", o.Duration)
	case o.FirstPort < 0 || o.FirstPort > math.MaxUint16:
		return fmt.Errorf("first port %d: must be 0 to %d", o.FirstPort, math.MaxUint16)
	case o.ConnectTimeout < 0:
		return fmt.Errorf("connect timeout %v: must not be negative", o.ConnectTimeout)
	case runtime.GOOS != "linux" && (o.SendBuffer > 0 || o.ReceiveBuffer > 0 || o.CongestionControl != ""):
		return errors.New("send buffer, receive buffer and congestion control can be chosen on Linux only")
	}
	return nil
}

// check tests that a program can be played step after step on these hosts.
func check(program *workload.Program, hosts []Host, place []int32, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if err := program.Check(); err != nil {
		return err
	}
	if len(place) != program.Ranks() {
		return fmt.Errorf("%d ranks have hosts, the program has %d ranks", len(place), program.Ranks())
	}
	for r, host := range place {
		if host < 0 || int(host) >= len(hosts) {
			return fmt.Errorf("rank %d: host %d among %d hosts", r, host, len(hosts))
		}
	}
	for _, h := range hosts {
		if _, err := netip.ParseAddr(h.Address); err != nil {
			return fmt.Errorf("host %s: address %q is not an IP address", h.Name, h.Address)
		}
	}
	for _, op := range program.Ops {
		if op.Kind == workload.Idle && op.Bytes > 0 && o.HostBytesPerSecond == 0 {
			return errors.New("host bytes per second 0: the program has idle operations, which need a rate")
		}
	}
	return complete(program)
}

// complete tests that every rank receives as many messages a step as it is sent, or has no
// receives. Other programs would stop, or keep ever more messages.
func complete(program *workload.Program) error {
	sent, received := make([]int, program.Ranks()), make([]int, program.Ranks())
	for r := range int32(program.Ranks()) {
		for _, op := range program.RankOps(r) {
			switch {
			case op.Kind.IsSend():
				sent[op.Peer]++
			case op.Kind.IsReceive():
				received[r]++
			}
		}
	}
	for r := range sent {
		if received[r] > 0 && received[r] != sent[r] {
			return fmt.Errorf("rank %d receives %d messages a step and is sent %d: "+
				"such a program cannot be repeated", r, received[r], sent[r])
		}
	}
	return nil
}
