package topology

import (
	"bufio"
	"fmt"
	"io"
)

// WriteIBNetDiscover writes the network as ibnetdiscover would print it, so
// that ReadIBNetDiscover and ibsim can read it: hosts are adapters with a port
// for each rail. Port numbers are kept where they start at 1 or above, else
// counted from 1. Latencies have no place in the format. A rate that no
// InfiniBand width and speed give is an error.
func WriteIBNetDiscover(w io.Writer, t *Topology) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "#\n# Topology file: %s\n#\n", t.Name)
	nodes := int32(t.Hosts() + t.Switches())
	for v := range nodes {
		// Switches first, as ibnetdiscover has them.
		v = (v + int32(t.Hosts())) % nodes
		first, end := t.Out(v)
		kind := "Switch"
		if t.IsHost(v) {
			kind = "Ca"
		}
		ports := int32(1)
		for l := first; l < end; l++ {
			ports = max(ports, t.portFromOne(l))
		}
		fmt.Fprintf(out, "\n%s\t%d %q\t\t# \"%s\"\n", kind, ports, t.ibID(v), t.NodeName(v))
		for l := first; l < end; l++ {
			link := &t.Links[l]
			rate, err := rateName(link.BytesPerSecond * 8 / 1e9)
			if err != nil {
				return fmt.Errorf("link %s to %s: %w", t.NodeName(v), t.NodeName(link.To), err)
			}
			fmt.Fprintf(out, "[%d]\t%q[%d]\t\t# \"%s\" lid 0 %s\n",
				t.portFromOne(l), t.ibID(link.To), t.portFromOne(t.reverse[l]), t.NodeName(link.To), rate)
		}
	}
	return out.Flush()
}

func (t *Topology) ibID(node int32) string {
	if t.IsHost(node) {
		return fmt.Sprintf("H-%016x", node)
	}
	return fmt.Sprintf("S-%016x", node)
}

// portFromOne is the link's port number, or its place among the links of its
// node when those are numbered from 0 or share a number.
func (t *Topology) portFromOne(l int32) int32 {
	first, end := t.Out(t.Links[l].From)
	ports := t.Links[first:end]
	for i := range ports {
		if ports[i].FromPort < 1 || i > 0 && ports[i].FromPort == ports[i-1].FromPort {
			return l - first + 1
		}
	}
	return t.Links[l].FromPort
}

// rateName finds width and speed of a data rate, 4 lanes if possible.
func rateName(gbps float64) (string, error) {
	for _, width := range []float64{4, 1, 2, 8, 12} {
		for _, speed := range []string{"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"} {
			if width*laneGbps[speed] == gbps {
				return fmt.Sprintf("%gx%s", width, speed), nil
			}
		}
	}
	return "", fmt.Errorf("no InfiniBand width and speed give %g Gb/s (%s)", gbps, rateHint)
}
