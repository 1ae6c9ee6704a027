package job

import (
	"remap/commgraph"
	"remap/workload"
)

// Options describe a job and its network: the values of the command line's options of the same
// names (docs/specs.md says how specs are written). Start from DefaultOptions. Topology, and one
// of Pattern, Graph and Recorded, are needed; the rest has defaults.
type Options struct {
	// Topology is the network: a spec such as torus:8x8x8, or a file.
	Topology string
	// Fail and Slow are cables without which, or slower than which, the network is used: LINK and
	// LINK=FRACTION.
	Fail, Slow []string
	// Hosts are those of the job: a list such as node[0-7,9] or node0:4, or a file of them; empty =
	// every host that no background job names.
	Hosts string
	// RanksPerHost is the number of slots of each host for which Hosts gives none, at least 1.
	RanksPerHost int
	// Background are other jobs: PATTERN[,endless=true][@HOSTS]; those without hosts share what is left.
	Background []string

	// Pattern is synthetic traffic, such as stencil2d:64x72.
	Pattern string
	// Graph is a file of recorded traffic, GraphFormat its format (empty = by content), Messages a
	// matrix of message counts beside it.
	Graph, GraphFormat, Messages string
	// Recorded gives recorded traffic in place of Graph; RecordedName is what to call it.
	Recorded     func() (*commgraph.Traffic, error)
	RecordedName string
	// MessageBytes is the size of a recorded message where counts are not known.
	MessageBytes int64
	// Wait lets a rank that plays recorded traffic begin a round when it has all messages of the one
	// before.
	Wait bool
	// UnitBytes is what one unit of the graph's weights stands for, in bytes.
	UnitBytes int64
	// MaxPackets is how many packets a rank are simulated at most, as a mean over the ranks of all
	// jobs that end; times are those of the full volume.
	MaxPackets int64
	// Grid is the process grid of the ranks, such as 64x72, first dimension fastest; empty = the
	// pattern's, or unknown.
	Grid string
	// Coordinates is a file that says where ranks lie in space.
	Coordinates string

	// Previous is a file of the mapping that the job has now; empty = the identity.
	Previous string
	// Objective is what mappings are to make small; empty = path length.
	Objective string
	// Phases is how the phases of a pattern load links: PhasesTogether, PhasesApart; empty = together.
	Phases string
	// Fixed are ranks that must stay: RANK=HOST:SLOT,..., or a file.
	Fixed string
	// MaxMoves is how many ranks may leave the host they have in Previous; 0 = no limit.
	MaxMoves int

	SimulatorOptions
}

// The values of Options.Phases.
const (
	PhasesTogether = "together"
	PhasesApart    = "apart"
)

// SimulatorOptions has the values of the simulator's options; names that are empty stand for the
// defaults of evalsim.
type SimulatorOptions struct {
	// Seed is that of all chance.
	Seed uint64
	// Steps of every job, one after the other; 0 = steady state.
	Steps int
	// PacketBytes is the size of the largest packet, BufferBytes that of an input buffer.
	PacketBytes, BufferBytes int
	// SwitchNS is the time from a switch's input to its output, in ns.
	SwitchNS int64
	// EagerBytes: longer messages wait until their receiver is ready; 0 = none does.
	EagerBytes int64
	// InFlight is how many messages of a rank are in its adapter at a time; 0 = no limit.
	InFlight int
	// ComputeNoise: computing takes 1 + ComputeNoise x E of its time, E exponential with mean 1.
	ComputeNoise float64
	// StartJitterNS: ranks begin at a random time up to this, in ns.
	StartJitterNS int64
	// MemoryGbps is the rate of a host's memory, in Gb/s; 0 = as evalsim.Options.MemoryRate says.
	MemoryGbps float64
	// Switching, Routing, Credits, Sampling: names as evalsim and sampling parse them.
	Switching, Routing, Credits, Sampling string
	// Congestion and CongestionAt are the rule by which a port is congested, and when it is asked.
	Congestion, CongestionAt string
}

// DefaultOptions are those of the command line: steady state, one rank a host.
func DefaultOptions() Options {
	return Options{RanksPerHost: 1, MessageBytes: 65536, UnitBytes: 1, MaxPackets: workload.DefaultMaxPackets,
		SimulatorOptions: SimulatorOptions{Seed: 1, PacketBytes: 4096, BufferBytes: 65536, SwitchNS: 100,
			Switching: "cut-through", Routing: "adaptive", Credits: "auto"}}
}

// IsRecorded tells whether the traffic is recorded, not a pattern.
func (o *Options) IsRecorded() bool { return o.Graph != "" || o.Recorded != nil }

// GraphName is what to call recorded traffic.
func (o *Options) GraphName() string {
	if o.Recorded != nil {
		return o.RecordedName
	}
	return o.Graph
}
