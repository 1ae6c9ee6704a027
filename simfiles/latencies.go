package simfiles

import (
	"io"

	"remap/evalsim"
	"remap/internal/columns"
)

// latencyColumns are the columns of a latencies file: the fields of
// evalsim.LatencySummary.
var latencyColumns = []columns.Column{
	{Name: "from_bytes", Kind: columns.Integer},
	{Name: "to_bytes", Kind: columns.Integer},
	{Name: "messages", Kind: columns.Integer},
	{Name: "mean_ns", Kind: columns.Number},
	{Name: "p50_ns", Kind: columns.Integer},
	{Name: "p90_ns", Kind: columns.Integer},
	{Name: "p99_ns", Kind: columns.Integer},
	{Name: "p99_9_ns", Kind: columns.Integer},
	{Name: "max_ns", Kind: columns.Integer},
}

// WriteLatencies writes one row for every size class of messages.
func WriteLatencies(w io.Writer, f Format, summaries []evalsim.LatencySummary) error {
	out, err := newTable(w, f, latencyColumns)
	if err != nil {
		return err
	}
	for _, s := range summaries {
		if err := out.Write([]columns.Value{
			columns.Whole(s.FromBytes), columns.Whole(s.ToBytes), columns.Whole(s.Messages),
			columns.Real(s.MeanNS), columns.Whole(s.P50NS), columns.Whole(s.P90NS),
			columns.Whole(s.P99NS), columns.Whole(s.P999NS), columns.Whole(s.MaxNS),
		}); err != nil {
			return err
		}
	}
	return out.Close()
}
