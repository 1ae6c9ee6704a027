package topology

import "time"

// The constants of this file are bounds and defaults that were chosen by convention or
// trial. Bounds of inputs (MaxLinks, MaxHosts, ...) stand with their readers.

// What fabric files do not say.
const (
	// defaultGbps is the rate of links without one: EDR InfiniBand. A warning says so.
	defaultGbps = 100

	// defaultLatency is the latency of links. Not ablated.
	defaultLatency = 100 * time.Nanosecond

	// manyRails is the largest number of adapters of one machine; with more, a warning says
	// that several machines probably share a name.
	manyRails = 16
)

// Bounds of memory and time. Not ablated: they are far above the networks of the fixtures.
const (
	// maxChannels bounds the virtual channels of a network with failed links: no switch has
	// more.
	maxChannels = 16

	// maxDetourSwitches and maxDetourPages bound the memory of detours: a sixteenth of a byte
	// for every pair of switches, and 384 bytes a page.
	maxDetourSwitches = 1 << 16
	maxDetourPages    = 1 << 22

	// detourPage is the number of switches that a page of a DetourRoute covers.
	detourPage = 64

	// maxTableSwitches bounds the routing table of an arbitrary network, which has an entry
	// for every pair of switches.
	maxTableSwitches = 1 << 14

	// maxLevelGroups bounds the square matrix of distances between groups of hosts in the
	// search for coarser levels.
	maxLevelGroups = 1 << 13

	// maxPathBytes bounds the memory of each of the two caches of a PathLinks. One set more
	// may be there, and the sets that callers hold. To try other values:
	//
	//	go test -run XXX -bench PathLinks ./topology
	maxPathBytes = 128 << 20

	// smallTable is the binary logarithm of the number of slots of a new hash table in these
	// caches.
	smallTable = 8
)
