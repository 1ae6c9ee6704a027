// Package evalsim simulates, packet by packet, a lossless network with
// credit-based flow control under one or more mapped jobs.
//
// # Model
//
// A switch queues packets at its output ports. A packet stays in the input buffer in which
// it arrived until it has left the switch; only then does its credit travel back over the
// link. A link sends a packet only if the next buffer has room for it, so no packet is ever
// dropped. Times are in picoseconds, sizes in bytes.
//
// # One event for each packet and hop
//
// The event is "the packet on this link is ready at the next node". It returns the credit of
// the buffer that the packet left, queues the packet at its next output port, starts this
// port if it is idle, and starts the link's own next packet. A credit needs no event: when a
// packet leaves a buffer, the arrival time of its credit is known (credits.go). Three things
// do have an event of their own (apart.go): the last byte of a packet that leaves its link
// after the packet's landing (short packets, long links, store and forward); the arrival of
// a credit at a link that waits for it; and a link that becomes idle and must then choose
// between virtual channels or between messages of its host.
//
// So every packet starts at its exact time, and a port is congested or not by the credits
// that have arrived by then. The approximation: events within one nanosecond are served in
// the order in which they became known. TestBookAgrees compares makespans and the congested
// fraction of every port with a simulator in which everything is an event.
//
// # Hosts
//
// Every rank executes its program. A message goes to the NIC of its rails, which cuts
// packets from its messages in turn; a rank has at most Options.MaxInFlight messages there.
// A blocking send ends when the last byte has left the host. Messages and receives match as
// in MPI, in order for each pair of ranks; a message that arrives before its receive waits
// at no cost. In programs with receives, a message above Options.EagerBytes first sends a
// request to the receiver and is sent after the answer. Requests and answers are packets of
// 64 bytes; they count as packets, not as messages. Within a host, requests cost nothing,
// and data is copied by the host's memory, whose rate is shared in equal parts.
//
// A job's elapsed time is the latest of the arrivals of its messages and of the ends of its
// Compute, Receive, Wait and WaitAll operations. A program that waits for something that
// never happens ends with a *BlockedError.
//
// Package simfiles writes results as files.
package evalsim

import (
	"fmt"
	"strings"
	"time"

	"remap/sampling"
)

// Switching is when a switch forwards a packet.
type Switching uint8

// The kinds of switching.
const (
	// CutThrough is virtual cut-through: a switch forwards a packet when its head has arrived
	// and the next buffer has room for all of it.
	CutThrough Switching = iota

	// StoreAndForward: a switch forwards a packet when all of it has arrived.
	StoreAndForward
)

// Routing is how a switch chooses among the candidate next hops.
type Routing uint8

// The kinds of routing.
const (
	// Adaptive takes the least loaded candidate, ties at random.
	Adaptive Routing = iota

	// TwoChoices takes the less loaded of two random candidates (Mitzenmacher 2001).
	TwoChoices

	// RandomPacket takes a random candidate for every packet.
	RandomPacket

	// FlowHash takes one candidate for all packets of a pair of ranks.
	FlowHash

	// Static is destination-modulo: one candidate for each destination host.
	Static

	// Valiant goes through a random intermediate switch, adaptively on both parts (Valiant
	// 1982).
	Valiant

	// UGAL is adaptive. It goes through the better of two random intermediate switches where
	// the queues favour it (UGAL-L, Singh 2005; Faanes et al. 2012).
	UGAL
)

// Credits says which of the credits that are travelling to a link are timed (credits.go).
type Credits uint8

// Which travelling credits are timed.
const (
	// CreditsAuto is CreditsNewest where buffers are roomy (roomyShare), else CreditsExact.
	CreditsAuto Credits = iota

	// CreditsExact times all.
	CreditsExact

	// CreditsNewest times the newest of every link. It is for networks with one virtual channel.
	CreditsNewest
)

var creditsNames = []string{"auto", "exact", "newest"}

var switchingNames = []string{"cut-through", "store-and-forward"}

var routingNames = []string{"adaptive", "two-choices", "random", "hash", "static", "valiant", "ugal"}

// String is what ParseSwitching reads.
func (s Switching) String() string { return switchingNames[s] }

// String is what ParseRouting reads.
func (r Routing) String() string { return routingNames[r] }

// String is what ParseCredits reads.
func (c Credits) String() string { return creditsNames[c] }

// ParseCredits reads auto, exact or newest.
func ParseCredits(name string) (Credits, error) {
	i, err := index("way of credits", name, creditsNames)
	return Credits(i), err
}

// ParseSwitching reads cut-through or store-and-forward.
func ParseSwitching(name string) (Switching, error) {
	i, err := index("switching", name, switchingNames)
	return Switching(i), err
}

// ParseRouting reads adaptive, two-choices, random, hash, static, valiant or ugal.
func ParseRouting(name string) (Routing, error) {
	i, err := index("routing", name, routingNames)
	return Routing(i), err
}

// index is the place of a name in a list of names.
func index(what, name string, names []string) (int, error) {
	for i, n := range names {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q: it is one of %s", what, name, strings.Join(names, ", "))
}

// Options of a simulation. Start from DefaultOptions.
type Options struct {
	// PacketBytes is the size of the largest packet: 1 to 65536.
	PacketBytes int

	// BufferBytes is the size of the input buffer of every link and virtual channel: at least
	// two packets.
	BufferBytes int

	// SwitchLatency is the time from a packet's arrival at a switch until it is ready at the
	// output port.
	SwitchLatency time.Duration

	Switching  Switching
	Routing    Routing
	Credits    Credits
	Congestion Congestion

	// MemoryBytesPerSecond is the rate of a host's memory. Messages between ranks of one host
	// share it in equal parts. 0 = what MemoryRate says.
	MemoryBytesPerSecond float64

	// EagerBytes is the size above which a message asks its receiver first (rendezvous), in
	// programs with receives. It applies to sizes before volumes were scaled. 0 = no message
	// asks.
	EagerBytes int64

	// MaxInFlight is the number of messages that a rank has in its NIC at a time, without
	// control messages. The other messages wait in order. 0 = no limit.
	MaxInFlight int

	// ComputeNoise: a Compute takes 1 + ComputeNoise x E of its time, where E is exponential
	// with mean 1. 0 = no noise.
	ComputeNoise float64

	// StartJitter: ranks begin at a uniform random time from 0 to this. 0 = all at once.
	StartJitter time.Duration

	// Sampling is what packets carry of the links they crossed. The zero value is nothing.
	Sampling sampling.Variant

	// FlowCounts adds the counts of every pair of ranks to results.
	FlowCounts bool

	// OwnLinks adds the counts of the first job's packets on every link to results.
	OwnLinks bool

	// SliceLength adds time slices of this length to results. 0 = none.
	SliceLength time.Duration

	// MaxSlices is the largest number of slices; the last slice takes all that comes later.
	// 0 = 1024, or what fits in 1 GiB.
	MaxSlices int

	// ByPhase adds samples of every phase that sends to results. With ByTag or ByCallSite,
	// samples are of every combination of phase, tag and call site.
	ByPhase bool

	// ByTag adds samples of every message tag to results.
	ByTag bool

	// ByCallSite adds samples of every call site to results.
	ByCallSite bool

	// Latencies adds the latencies of messages between hosts to results.
	Latencies bool

	// Steps is how many times every job plays its program, one after the other. 0 = until the
	// times are steady (steps.go).
	Steps int

	// SteadySteps is the least number of steps with Steps = 0: at least 3. At most twice as
	// many are played. 0 = 3 to 8, for 4096 packets a rank.
	SteadySteps int

	// Seed is the seed of tie-breaks, random routing, sampling, ComputeNoise and StartJitter.
	Seed uint64
}

// DefaultOptions are 4 KiB packets, 64 KiB buffers, 100 ns a switch, virtual
// cut-through, adaptive routing, memory as fast as a host's rails (MemoryRate), two
// reservoirs a packet, one step, seed 1.
func DefaultOptions() Options {
	return Options{PacketBytes: 4096, BufferBytes: 65536, SwitchLatency: 100 * time.Nanosecond,
		Sampling: sampling.Reservoirs, Steps: 1, Seed: 1}
}

// Sampled are the options with packets that carry samples: full ones where nothing is set.
func (o Options) Sampled() Options {
	if o.Sampling.Kind == sampling.Off {
		o.Sampling = sampling.Reservoirs
	}
	return o
}

// Unsampled are the options under which packets carry nothing, and nothing is kept of them.
func (o Options) Unsampled() Options {
	o.Sampling, o.ByPhase, o.ByTag, o.ByCallSite = sampling.Variant{}, false, false, false
	return o
}

// Validate names the first field that is out of bounds.
func (o Options) Validate() error {
	switch {
	case o.PacketBytes < 1 || o.PacketBytes > 65536:
		return fmt.Errorf("packet bytes %d: must be 1 to 65536", o.PacketBytes)
	case o.BufferBytes < 2*o.PacketBytes || o.BufferBytes > 1<<28:
		return fmt.Errorf("buffer bytes %d: must be at least two packets of %d bytes and at most 256 MiB",
			o.BufferBytes, o.PacketBytes)
	case o.SwitchLatency < 0 || o.SwitchLatency > time.Millisecond:
		return fmt.Errorf("switch latency %v: must be 0 to 1ms", o.SwitchLatency)
	case o.SliceLength < 0 || o.SliceLength > time.Hour:
		return fmt.Errorf("slice length %v: must be 0 to 1h", o.SliceLength)
	case o.MaxSlices < 0 || o.MaxSlices > maxSlices:
		return fmt.Errorf("slices %d: must be 0 to %d", o.MaxSlices, maxSlices)
	case int(o.Switching) >= len(switchingNames):
		return fmt.Errorf("switching %d is not known", o.Switching)
	case int(o.Routing) >= len(routingNames):
		return fmt.Errorf("routing %d is not known", o.Routing)
	case int(o.Credits) >= len(creditsNames):
		return fmt.Errorf("credits %d are not known", o.Credits)
	case o.Steps < 0 || o.Steps > mostStepsAsked:
		return fmt.Errorf("steps %d: must be 0 to %d", o.Steps, mostStepsAsked)
	case o.SteadySteps != 0 && (o.SteadySteps < fewestSteps || o.SteadySteps > mostStepsAsked):
		return fmt.Errorf("steady steps %d: must be 0 or %d to %d", o.SteadySteps, fewestSteps, mostStepsAsked)
	case o.EagerBytes < 0:
		return fmt.Errorf("eager bytes %d: must not be negative", o.EagerBytes)
	case o.MaxInFlight < 0 || o.MaxInFlight > 1<<30:
		return fmt.Errorf("messages in flight %d: must be 0 to 2^30", o.MaxInFlight)
	case !(o.ComputeNoise >= 0 && o.ComputeNoise <= 1000):
		return fmt.Errorf("compute noise %g: must be 0 to 1000", o.ComputeNoise)
	case o.StartJitter < 0 || o.StartJitter > time.Hour:
		return fmt.Errorf("start jitter %v: must be 0 to 1h", o.StartJitter)
	case o.MemoryBytesPerSecond != 0 && !(o.MemoryBytesPerSecond >= 1e6 && o.MemoryBytesPerSecond <= 1e15):
		return fmt.Errorf("memory bytes per second %g: must be 0 (as fast as the rails) or 1e6 to 1e15",
			o.MemoryBytesPerSecond)
	}
	if err := o.Sampling.Validate(); err != nil {
		return err
	}
	if !o.Sampling.Simple() {
		return fmt.Errorf("sampling %v: draws in the header are not simulated; counter=BITS instead of "+
			"drawn=HOPS is the same in distribution", o.Sampling)
	}
	return o.Congestion.validate()
}
