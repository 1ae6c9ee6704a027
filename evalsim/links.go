package evalsim

import (
	"fmt"
	"io"
	"math"

	"remap/internal/columns"
	"remap/sampling"
	"remap/topology"
)

// linkColumns are those of a links file.
var linkColumns = []columns.Column{
	{Name: "link", Kind: columns.Integer},
	{Name: "from", Kind: columns.Text},
	{Name: "port", Kind: columns.Integer},
	{Name: "to", Kind: columns.Text},
	{Name: "gbps", Kind: columns.Number},
	{Name: "bytes", Kind: columns.Integer, Optional: true},
	{Name: "packets", Kind: columns.Integer, Optional: true},
	{Name: "congested_packets", Kind: columns.Integer, Optional: true},
	{Name: "congested_fraction", Kind: columns.Number, Optional: true},
	{Name: "est_packets", Kind: columns.Integer, Optional: true},
	{Name: "est_packets_low", Kind: columns.Number, Optional: true},
	{Name: "est_packets_high", Kind: columns.Number, Optional: true},
	{Name: "est_congested_packets", Kind: columns.Integer, Optional: true},
	{Name: "est_congested_fraction", Kind: columns.Number, Optional: true},
	{Name: "est_congested_fraction_low", Kind: columns.Number, Optional: true},
	{Name: "est_congested_fraction_high", Kind: columns.Number, Optional: true},
	{Name: "busy_fraction", Kind: columns.Number, Optional: true},
	{Name: "stalled_fraction", Kind: columns.Number, Optional: true},
	{Name: "queue_mean_bytes", Kind: columns.Number, Optional: true},
	{Name: "queue_max_bytes", Kind: columns.Integer, Optional: true},
}

// LinksHeader names the columns of a links file.
func LinksHeader() []string {
	names := make([]string, len(linkColumns))
	for i := range names {
		names[i] = linkColumns[i].Name
	}
	return names
}

// AllJobs stands for a job whose receivers are those of all jobs: what an
// administrator sees.
const AllJobs = -1

// LinksOptions say what a links file holds. The zero value is a CSV of all time
// and messages, with what the first job's receivers concluded.
type LinksOptions struct {
	Format     columns.Format
	Job        int   // whose receivers fill the est_ columns, or AllJobs
	Slices     bool  // a column `slice` and rows of every time slice, from 0; needs Options.SliceLength
	ByPhase    bool  // a column `phase` and rows of every phase; needs Options.ByPhase
	ByTag      bool  // a column `tag` and rows of every tag of messages; needs Options.ByTag
	ByCallSite bool  // a column `call_site`, missing where it is not known, and rows of every call site; needs Options.ByCallSite
	Jobs       []Job // those of the results, whose programs name phases and call sites; needed by ByPhase and ByCallSite
}

// WriteLinks writes one row for every directed link: exact counts summed over
// the repeats, the receivers' estimates over all repeats beside them, and busy
// time, stalls and queues averaged over the repeats. Links are numbered as
// topology.Topology.LinkNumber does. Injection links have no
// switch port to sample or to congest: those fields are missing.
//
// Rows of a slice, phase, tag or call site tell of that alone, in order of slice,
// phase, tag, call site and link, and links with no packet to tell of are left out.
// Phases and call sites come as the jobs' programs list them, and those of the same
// name are one. A packet counts in the slice in which a link begins to send it, and
// in the estimates in the one in which it arrives. Of single phases, tags and call
// sites only estimates are known.
func WriteLinks(w io.Writer, t *topology.Topology, results []*Result, o LinksOptions) error {
	out, err := columns.NewWriter(w, o.Format, append(linkColumns[:len(linkColumns):len(linkColumns)], o.labelColumns()...))
	if err != nil {
		return err
	}
	for _, r := range results {
		if (o.ByPhase || o.ByCallSite) && len(o.Jobs) < len(r.Jobs) {
			return fmt.Errorf("rows by phase or call site need the %d jobs of the results, there are %d", len(r.Jobs), len(o.Jobs))
		}
	}
	l := linkWriter{topology: t, results: results, options: o, out: out,
		phases: numberNames(o.Jobs, o.Job, PhaseNames), callSites: numberNames(o.Jobs, o.Job, CallSiteNames)}
	sets := l.rowSets()
	for _, of := range sets.ordered() {
		if err := l.write(of, l.merged(sets[of])); err != nil {
			return err
		}
	}
	return out.Close()
}

type linkWriter struct {
	topology *topology.Topology
	results  []*Result
	options  LinksOptions
	out      *columns.Writer
	row      []columns.Value
	table    *sampling.Table // scratch

	phases, callSites names
}

// slices is how many the longest repeat has.
func (l *linkWriter) slices() int {
	count := 0
	for _, r := range l.results {
		count = max(count, len(r.Slices))
	}
	return count
}

// write writes the rows of a set, with samples, which may be nil.
func (l *linkWriter) write(of rowSet, samples *sampling.Table) error {
	whole := of.exact() && of.slice == every
	for i := range l.topology.Links {
		var sum LinkStats
		if of.exact() {
			sum = l.sum(i, of.slice)
		}
		if sampled := samples != nil && (samples.Links[i] != (sampling.Entry{})); !whole && sum.Packets == 0 && !sampled {
			continue
		}
		l.rowOf(int32(i), &sum, samples, of.exact())
		l.labels(of)
		if err := l.out.Write(l.row); err != nil {
			return err
		}
	}
	return nil
}

// merged is the sum of tables, until the next call; nil if there is none.
func (l *linkWriter) merged(tables []*sampling.Table) *sampling.Table {
	if len(tables) == 0 {
		return nil
	}
	if l.table == nil {
		l.table = sampling.NewTable(tables[0].Variant, len(l.topology.Links))
	}
	l.table.Reset()
	for _, t := range tables {
		l.table.Merge(t)
	}
	return l.table
}

// sum is what a link did in a slice: counts summed, the rest averaged over the
// repeats.
func (l *linkWriter) sum(link, slice int) LinkStats {
	var sum LinkStats
	for _, r := range l.results {
		links := r.Links
		if slice != every {
			if slice >= len(r.Slices) {
				continue
			}
			links = r.Slices[slice]
		}
		s := &links[link]
		sum.Bytes += s.Bytes
		sum.Packets += s.Packets
		sum.Congested += s.Congested
		sum.Busy += s.Busy / float64(len(l.results))
		sum.Stalled += s.Stalled / float64(len(l.results))
		sum.QueueMean += s.QueueMean / float64(len(l.results))
		sum.QueueMax = max(sum.QueueMax, s.QueueMax)
	}
	return sum
}

// rowOf makes the row of a link but for its labels; exact: the counters are known.
func (l *linkWriter) rowOf(i int32, sum *LinkStats, samples *sampling.Table, exact bool) {
	t, link := l.topology, &l.topology.Links[i]
	var bytes, packets, congested, share, busy, stalled, mean, most columns.Value
	port := !t.IsHost(link.From)
	if exact {
		bytes, packets = columns.Whole(sum.Bytes), columns.Whole(sum.Packets)
		busy, stalled = columns.Real(sum.Busy), columns.Real(sum.Stalled)
		if port {
			congested, share = columns.Whole(sum.Congested), columns.Real(fraction(sum.Congested, sum.Packets))
			mean, most = columns.Real(sum.QueueMean), columns.Whole(sum.QueueMax)
		}
	}
	l.row = append(l.row[:0], columns.Whole(int64(t.LinkNumber(i))), columns.String(t.NodeName(link.From)), columns.Whole(int64(link.FromPort)),
		columns.String(t.NodeName(link.To)), columns.Real(link.BytesPerSecond*8/1e9), bytes, packets, congested, share)
	if port && samples != nil {
		e := &samples.Links[i]
		p, f := samples.PacketsEstimate(i), samples.Fraction(i)
		l.row = append(l.row, columns.Whole(int64(math.Round(e.Packets))), columns.Real(p.Low), columns.Real(p.High), columns.Whole(int64(math.Round(e.Congested))),
			columns.Real(f.Value), columns.Real(f.Low), columns.Real(f.High))
	} else {
		l.row = append(l.row, make([]columns.Value, 7)...)
	}
	l.row = append(l.row, busy, stalled, mean, most)
}

func fraction(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
