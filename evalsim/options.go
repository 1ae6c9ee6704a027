// Package evalsim simulates, packet by packet, a lossless network with
// credit-based flow control under one or more mapped jobs.
//
// # Model
//
// A switch queues packets at its output ports; a packet stays in the input
// buffer it arrived in until it has left, and only then does its credit travel
// back over the link. A link sends only what the next buffer has room for, so
// nothing is ever dropped. Time is kept in picoseconds, sizes in bytes.
//
// # One event a packet-hop
//
// The event is "the packet on this link is ready at the next node". It returns the
// credit of the buffer the packet left, queues the packet at its next output port, starts
// that port if it is at rest, and starts the link's own next packet. A credit has no event:
// when the packet leaves a buffer it is known when the credit will arrive (credits.go). Three
// things do have an event of their own (apart.go): a packet's last byte leaving its link, where
// the packet lands only after that (short packets, long links, store and forward); a
// credit's arrival at a link that waits for it; and a link falling idle that has to choose
// then between virtual channels or between messages of its host.
//
// So every packet starts at its time, and every port is judged by the credits that have
// arrived. What is approximate: events within a nanosecond are served in the order in which
// they became known. TestBookAgrees compares makespans and the congested fraction of every
// port with a simulator in which everything is an event.
//
// # Hosts
//
// Every rank plays its program. A message is handed to the NIC of its rails,
// which cuts packets from its messages in turn; at most Options.MaxInFlight
// messages of a rank are there at a time. A blocking send ends when the last
// byte has left the host. Messages and receives find each other as in MPI, in
// order for each pair of ranks; a message that comes before its receive waits
// at no cost. In programs with receives, messages above Options.EagerBytes ask
// first and are sent when the answer has come; request and answer are packets of
// 64 bytes that count as packets wherever packets are counted, and as messages
// nowhere. Within a host requests cost nothing, and data is copied by the host's
// memory, whose rate the copies under way share equally.
//
// A job's elapsed time is the latest of the arrivals of its messages and of the
// ends of its Compute, Receive, Wait and WaitAll operations. A program that
// waits for what never comes ends with a *BlockedError.
package evalsim

import (
	"fmt"
	"strings"
	"time"

	"remap/sampling"
)

// Switching is how a switch forwards.
type Switching uint8

const (
	// virtual cut-through: forwards when the head is there and the next buffer has room for all of it
	CutThrough      Switching = iota
	StoreAndForward           // forwards when the whole packet is there
)

// Routing is how a switch chooses among the candidate next hops.
type Routing uint8

const (
	Adaptive     Routing = iota // least loaded candidate, ties at random
	TwoChoices                  // less loaded of two random candidates (Mitzenmacher 2001)
	RandomPacket                // a random candidate for every packet
	FlowHash                    // one candidate for all packets of a pair of ranks
	Static                      // destination-modulo: one candidate for each destination host
	Valiant                     // adaptive by way of a random switch (Valiant 1982)
	// adaptive, by way of the better of two random switches where queues say so (UGAL-L, Singh 2005; Faanes et
	// al. 2012)
	UGAL
)

// Credits says which of the credits on their way to a link are timed (credits.go).
type Credits uint8

// Which credits on their way are timed.
const (
	CreditsAuto   Credits = iota // the newest where buffers are roomy, else all
	CreditsExact                 // all
	CreditsNewest                // of every link the newest; only in networks with one virtual channel
)

var creditsNames = []string{"auto", "exact", "newest"}

var switchingNames = []string{"cut-through", "store-and-forward"}

var routingNames = []string{"adaptive", "two-choices", "random", "hash", "static", "valiant", "ugal"}

func (s Switching) String() string { return switchingNames[s] }
func (r Routing) String() string   { return routingNames[r] }
func (c Credits) String() string   { return creditsNames[c] }

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
	PacketBytes   int           // largest packet, 1 to 65536
	BufferBytes   int           // input buffer of every link and virtual channel, at least two packets
	SwitchLatency time.Duration // from a packet's arrival at a switch to its readiness at the output port
	Switching     Switching
	Routing       Routing
	Credits       Credits
	Congestion    Congestion // when a port counts as congested
	// MemoryBytesPerSecond: rate of a host's memory, which its messages between its own ranks share in equal
	// parts; 0 = as MemoryRate says
	MemoryBytesPerSecond float64
	// EagerBytes: longer messages ask the receiver first (rendezvous), in programs with receives, before
	// volumes were scaled; 0 = none does
	EagerBytes int64
	// MaxInFlight: messages that a rank has in its NIC at a time, control messages apart; the others wait in
	// order; 0 = no limit
	MaxInFlight int
	// ComputeNoise: a Compute takes 1 + ComputeNoise x E of its time, E exponential with mean 1; 0 = none
	ComputeNoise float64
	StartJitter  time.Duration    // ranks begin at a uniform random time from 0 to this; 0 = all at once
	Sampling     sampling.Variant // what packets carry of what they saw; the zero value: nothing
	FlowCounts   bool             // results hold counts of every pair of ranks
	OwnLinks     bool             // results hold counts of the first job's packets on every link
	SliceLength  time.Duration    // results hold time slices of this length; 0 = none
	// MaxSlices: at most so many, 0 = 1024 or what fits in 1 GiB; the last takes what comes later
	MaxSlices int
	// ByPhase: results hold samples of every phase that sends, as far as the next two ask of every phase, tag
	// and call site together
	ByPhase    bool
	ByTag      bool // of every tag of messages
	ByCallSite bool // of every call site
	Latencies  bool // results hold how long messages between hosts took
	// Steps: of every job, one after the other: so many times its program; 0 = until their times are steady
	// (steps.go)
	Steps int
	// SteadySteps: with Steps = 0: least steps, at least 3, of which at most twice as many are played; 0 = 3
	// to 8, for 4096 packets a rank
	SteadySteps int
	// Seed: of tie-breaks, random routing, sampling, ComputeNoise and StartJitter
	Seed uint64
}

// DefaultOptions are 4 KiB packets, 64 KiB buffers, 100 ns a switch, virtual
// cut-through, adaptive routing, memory as fast as a host's rails (MemoryRate), two
// reservoirs a packet, one step, seed 1.
func DefaultOptions() Options {
	return Options{PacketBytes: 4096, BufferBytes: 65536, SwitchLatency: 100 * time.Nanosecond,
		Sampling: sampling.Reservoirs, Steps: 1, Seed: 1}
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
		return fmt.Errorf("sampling %v: draws in the header are not simulated; counter=BITS instead of drawn=HOPS is the same in distribution", o.Sampling)
	}
	return o.Congestion.validate()
}
