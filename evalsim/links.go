package evalsim

import (
	"encoding/csv"
	"io"
	"strconv"

	"remap/sampling"
	"remap/topology"
)

// LinksHeader names the columns of a links file.
var LinksHeader = []string{"link", "from", "port", "to", "gbps", "bytes", "packets", "congested_packets", "congested_fraction",
	"est_packets", "est_packets_low", "est_packets_high", "est_congested_packets",
	"est_congested_fraction", "est_congested_fraction_low", "est_congested_fraction_high",
	"busy_fraction", "stalled_fraction", "queue_mean_bytes", "queue_max_bytes"}

// WriteLinks writes one CSV row for every directed link: exact counts summed
// over the repeats, the first job's receivers' estimates over all repeats
// beside them, and busy time, stalls and queues averaged over the repeats.
// Injection links have no switch port to sample or to congest: those fields
// stay empty.
func WriteLinks(w io.Writer, t *topology.Topology, results []*Result) error {
	out := csv.NewWriter(w)
	if err := out.Write(LinksHeader); err != nil {
		return err
	}
	var table *sampling.Table
	for _, r := range results {
		if len(r.Samples) > 0 {
			if table == nil {
				table = sampling.NewTable(len(t.Links))
			}
			table.Merge(r.Samples[0])
		}
	}
	for i := range t.Links {
		if err := out.Write(linkRow(t, int32(i), results, table)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func linkRow(t *topology.Topology, i int32, results []*Result, table *sampling.Table) []string {
	l := &t.Links[i]
	var sum LinkStats
	for _, r := range results {
		s := &r.Links[i]
		sum.Bytes += s.Bytes
		sum.Packets += s.Packets
		sum.Congested += s.Congested
		sum.Busy += s.Busy / float64(len(results))
		sum.Stalled += s.Stalled / float64(len(results))
		sum.QueueMean += s.QueueMean / float64(len(results))
		sum.QueueMax = max(sum.QueueMax, s.QueueMax)
	}
	row := []string{strconv.Itoa(int(i)), t.NodeName(l.From), strconv.Itoa(int(l.FromPort)), t.NodeName(l.To),
		number(l.BytesPerSecond * 8 / 1e9), whole(sum.Bytes), whole(sum.Packets)}
	if t.IsHost(l.From) {
		row = append(row, make([]string, 9)...)
		return append(row, number(sum.Busy), number(sum.Stalled), "", "")
	}
	fraction := 0.0
	if sum.Packets > 0 {
		fraction = float64(sum.Congested) / float64(sum.Packets)
	}
	row = append(row, whole(sum.Congested), number(fraction))
	if table == nil {
		row = append(row, make([]string, 7)...)
	} else {
		e := &table.Links[i]
		p, f := e.PacketsEstimate(), e.Fraction()
		row = append(row, whole(e.Packets), number(p.Low), number(p.High), whole(e.Congested),
			number(f.Value), number(f.Low), number(f.High))
	}
	return append(row, number(sum.Busy), number(sum.Stalled), number(sum.QueueMean), whole(sum.QueueMax))
}

func whole(v int64) string { return strconv.FormatInt(v, 10) }

func number(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
