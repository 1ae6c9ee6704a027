package counters

import (
	"bufio"
	"fmt"
	"io"

	"remap/topology"
)

// PortCounters are those of the port that a link leaves, as perfquery -x tells.
type PortCounters struct {
	// SentWords, ReceivedWords: of 4 bytes.
	SentWords, ReceivedWords uint64
	// Waited: ticks.
	Waited uint64
}

// WritePerfquery writes counters of all ports of a fabric (length links) as
// perfquery -x would print them one after the other: to try a measurement
// without the fabric. The network must have come from a fabric file with LIDs.
func WritePerfquery(w io.Writer, machine *topology.Topology, ports []PortCounters) error {
	if machine.Ports == nil || len(ports) != len(machine.Links) {
		return fmt.Errorf("%d ports of a network of %d links, %d known to the "+
			"fabric", len(ports), len(machine.Links), len(machine.Ports))
	}
	out := bufio.NewWriter(w)
	for l := range ports {
		p := &machine.Ports[l]
		if p.LID == 0 {
			return fmt.Errorf("the port of link %d has no LID", l)
		}
		fmt.Fprintf(out, "# Port extended counters: Lid %d port %d (CapMask: 0x5300 CapMask2: "+
			"0x0000002)\n", p.LID, p.Number)
		for _, line := range []struct {
			name  string
			value uint64
		}{{"PortSelect", uint64(p.Number)}, {"PortXmitData", ports[l].SentWords},
			{"PortRcvData", ports[l].ReceivedWords}, {"PortXmitWait", ports[l].Waited}} {
			fmt.Fprintf(out, "%s:%.*s%d\n", line.name, 32-len(line.name), "................................",
				line.value)
		}
	}
	return out.Flush()
}
