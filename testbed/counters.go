package testbed

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"remap/internal/columns"
)

// PortCounters are the kernel's counters of a port, since it was made.
type PortCounters struct {
	// Bytes and Packets were sent, Ethernet's headers included.
	Bytes, Packets uint64
	// Drops are packets that found the buffer full.
	Drops uint64
	// Backlog is what waits now, in bytes.
	Backlog uint64
}

// Measurement is what the ports of a testbed did in a time.
type Measurement struct {
	// Plan is that of the network.
	Plan *Plan
	// Start is the time of Before in seconds since 1970; Seconds is the time to After.
	Start, Seconds float64
	// Before and After (length ports) are the counters at both ends.
	Before, After []PortCounters
	// Samples is how often the ports were looked at in between.
	Samples int
	// Queued (length ports) counts samples in which more than a burst waited, and Waiting and Most are
	// the sum and the largest of what waited, in bytes.
	Queued        []int
	Waiting, Most []uint64
}

func newMeasurement(p *Plan) *Measurement {
	n := len(p.Ports)
	return &Measurement{Plan: p, Queued: make([]int, n), Waiting: make([]uint64, n), Most: make([]uint64, n)}
}

// add takes in a look at the ports.
func (m *Measurement) add(now []PortCounters) {
	m.Samples++
	burst := uint64(m.Plan.burst())
	for l := range now {
		if now[l].Backlog > burst {
			m.Queued[l]++
		}
		m.Waiting[l] += now[l].Backlog
		m.Most[l] = max(m.Most[l], now[l].Backlog)
	}
}

// burst is what a port may send at once, in bytes.
func (p *Plan) burst() int { return burstPackets * (p.Options.MTU + ethernetHeader) }

// Sent is the data that a port sent, in bytes as if all packets were full, and busy the share of the
// time in which it was sending.
func (m *Measurement) Sent(port int) (bytes int64, busy float64) {
	wire := m.After[port].Bytes - m.Before[port].Bytes
	busy = float64(wire) / (m.Plan.Ports[port].BytesPerSecond * m.Seconds)
	return m.Plan.data(wire), math.Min(busy, 1) // a burst may come on top
}

// data is what bytes on the wire are in full packets: rates of the topology are rates of data.
func (p *Plan) data(wire uint64) int64 { return int64(float64(wire) * p.Options.payload()) }

// Drops is how many packets all ports dropped.
func (m *Measurement) Drops() (count uint64) {
	for l := range m.After {
		count += m.After[l].Drops - m.Before[l].Drops
	}
	return count
}

// linkColumns are those of a links file (package simfiles) that the kernel knows, and two of its own.
var linkColumns = []columns.Column{
	{Name: "link", Kind: columns.Integer},
	{Name: "from", Kind: columns.Text},
	{Name: "port", Kind: columns.Integer},
	{Name: "to", Kind: columns.Text},
	{Name: "gbps", Kind: columns.Number},
	{Name: "seconds", Kind: columns.Number},
	{Name: "bytes", Kind: columns.Integer},
	{Name: "packets", Kind: columns.Integer},
	{Name: "congested_fraction", Kind: columns.Number, Optional: true},
	{Name: "busy_fraction", Kind: columns.Number},
	{Name: "stalled_fraction", Kind: columns.Number},
	{Name: "queue_mean_bytes", Kind: columns.Number, Optional: true},
	{Name: "queue_max_bytes", Kind: columns.Integer, Optional: true},
	{Name: "drops", Kind: columns.Integer},
}

// WriteLinks writes a links file as csv, json or parquet: a row for every directed link, in the order of
// the topology. congested_fraction is the share of samples in which a queue waited, busy_fraction that
// of the time in which the port sent. A port is never stalled: TCP has no credits.
func (m *Measurement) WriteLinks(w io.Writer, format string) error {
	known := map[string]columns.Format{"csv": columns.CSV, "json": columns.JSON, "parquet": columns.Parquet}
	kind, ok := known[format]
	if !ok {
		return fmt.Errorf("links as %q: it is csv, json or parquet", format)
	}
	out, err := columns.NewWriter(w, kind, linkColumns)
	if err != nil {
		return err
	}
	t := m.Plan.Topology
	for l := range m.Plan.Ports {
		link := &t.Links[l]
		bytes, busy := m.Sent(l)
		row := []columns.Value{columns.Whole(int64(t.LinkNumber(int32(l)))), columns.String(t.NodeName(link.From)),
			columns.Whole(int64(link.FromPort)), columns.String(t.NodeName(link.To)),
			columns.Real(link.BytesPerSecond * 8 / 1e9), columns.Real(m.Seconds), columns.Whole(bytes),
			columns.Whole(int64(m.After[l].Packets - m.Before[l].Packets)), {}, columns.Real(busy),
			columns.Real(0), {}, {}, columns.Whole(int64(m.After[l].Drops - m.Before[l].Drops))}
		if m.Samples > 0 {
			row[8] = columns.Real(float64(m.Queued[l]) / float64(m.Samples))
			row[11] = columns.Real(float64(m.Waiting[l]) / float64(m.Samples))
			row[12] = columns.Whole(int64(m.Most[l]))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Close()
}

// WriteSnapshots writes the counters before and after as a table with a time: what a site's
// collector stores of its switches.
func (m *Measurement) WriteSnapshots(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"time", "from", "port", "to", "bytes", "packets", "drops"}); err != nil {
		return err
	}
	t := m.Plan.Topology
	for _, at := range []struct {
		time     float64
		counters []PortCounters
	}{{m.Start, m.Before}, {m.Start + m.Seconds, m.After}} {
		for l := range m.Plan.Ports {
			link, c := &t.Links[l], &at.counters[l]
			if err := out.Write([]string{strconv.FormatFloat(at.time, 'f', 6, 64), t.NodeName(link.From),
				strconv.Itoa(int(link.FromPort)), t.NodeName(link.To), strconv.FormatInt(m.Plan.data(c.Bytes), 10),
				strconv.FormatUint(c.Packets, 10), strconv.FormatUint(c.Drops, 10)}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
