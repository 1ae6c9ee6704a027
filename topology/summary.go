package topology

import (
	"fmt"
	"slices"
	"strings"
)

// Summary is the network in one line: "4608 hosts, 288 switches, 9216+9216
// links of 100 Gb/s, levels leaf(144) pod(6)". The links of hosts (both
// directions) are counted apart from those between switches.
func (t *Topology) Summary() string {
	hostLinks := 0
	if len(t.firstLink) > t.Hosts() {
		hostLinks = 2 * int(t.firstLink[t.Hosts()])
	}
	var rates []float64
	for i := range t.Links {
		rate := t.Links[i].BytesPerSecond * 8 / 1e9
		if at, found := slices.BinarySearch(rates, rate); !found {
			rates = slices.Insert(rates, at, rate)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d hosts, %d switches, %d+%d links", t.Hosts(), t.Switches(), hostLinks,
		len(t.Links)-hostLinks)
	for i, rate := range rates {
		fmt.Fprintf(&b, "%s%.6g", []string{" of ", ", "}[min(i, 1)], rate)
	}
	b.WriteString(" Gb/s")
	for i := range t.Levels {
		if i == 0 {
			b.WriteString(", levels")
		}
		fmt.Fprintf(&b, " %s(%d)", t.Levels[i].Name, t.Levels[i].Groups())
	}
	return b.String()
}
