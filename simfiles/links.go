package simfiles

import (
	"fmt"
	"io"
	"math"

	"remap/evalsim"
	"remap/internal/columns"
	"remap/sampling"
	"remap/topology"
)

// linkColumns are the columns of every links file.
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

// LinksHeader names the columns of a links file that has one row a link.
func LinksHeader() []string {
	names := make([]string, len(linkColumns))
	for i := range names {
		names[i] = linkColumns[i].Name
	}
	return names
}

// AllJobs selects the receivers of all jobs together: the view of an administrator.
const AllJobs = -1

// LinksOptions say what a links file holds. The zero value is a CSV file with one row a
// link, over all time and all messages, and the estimates of the first job's receivers.
type LinksOptions struct {
	// Format is the file format.
	Format Format

	// Job is the index of the job whose receivers fill the est_ columns, or AllJobs.
	Job int

	// Slices adds a column `slice`, from 0, and writes the rows of every time slice
	// apart. The results need Options.SliceLength.
	Slices bool

	// ByPhase adds a column `phase` and writes the rows of every phase apart. The
	// results need Options.ByPhase.
	ByPhase bool

	// ByTag adds a column `tag` and writes the rows of every message tag apart. The
	// results need Options.ByTag.
	ByTag bool

	// ByCallSite adds a column `call_site`, missing where the call site is not known,
	// and writes the rows of every call site apart. The results need Options.ByCallSite.
	ByCallSite bool

	// Jobs are the jobs of the results: their programs name the phases and call sites.
	// ByPhase and ByCallSite need them.
	Jobs []evalsim.Job
}

// WriteLinks writes one row for every directed link: exact counts summed over the
// repeats, beside them the receivers' estimates over all repeats, then busy time, stalls
// and queues averaged over the repeats. Links are numbered by
// topology.Topology.LinkNumber. An injection link has no switch port that samples or
// congests: these fields are missing.
//
// With Slices, ByPhase, ByTag or ByCallSite each row holds the packets of one slice,
// phase, tag or call site. Rows are ordered by slice, phase, tag, call site and link; a
// link without such packets has no row. Phases and call sites are in the order of the
// jobs' programs, and those with the same name are one. Exact counts place a packet in the
// slice in which the link begins to send it, estimates in the slice in which the packet
// arrives. For single phases, tags and call sites only the estimates are known.
func WriteLinks(w io.Writer, t *topology.Topology, results []*evalsim.Result, o LinksOptions) error {
	header := append(linkColumns[:len(linkColumns):len(linkColumns)], o.labelColumns()...)
	out, err := newTable(w, o.Format, header)
	if err != nil {
		return err
	}
	for _, r := range results {
		if (o.ByPhase || o.ByCallSite) && len(o.Jobs) < len(r.Jobs) {
			return fmt.Errorf("rows by phase or call site need the %d jobs of the results, there are %d",
				len(r.Jobs), len(o.Jobs))
		}
	}
	l := linkWriter{topology: t, results: results, options: o, out: out,
		phases:    numberNames(o.Jobs, o.Job, evalsim.PhaseNames),
		callSites: numberNames(o.Jobs, o.Job, evalsim.CallSiteNames)}
	sets := l.rowSets()
	for _, of := range sets.ordered() {
		if err := l.write(of, l.merged(sets[of])); err != nil {
			return err
		}
	}
	return out.Close()
}

// linkWriter writes one links file.
type linkWriter struct {
	topology *topology.Topology
	results  []*evalsim.Result
	options  LinksOptions
	out      *columns.Writer
	row      []columns.Value
	table    *sampling.Table // scratch

	phases, callSites names
}

// slices is the number of time slices of the longest repeat.
func (l *linkWriter) slices() int {
	count := 0
	for _, r := range l.results {
		count = max(count, len(r.Slices))
	}
	return count
}

// write writes the rows of a set. samples, which may be nil, are what its receivers saw.
func (l *linkWriter) write(of rowSet, samples *sampling.Table) error {
	whole := of.exact() && of.slice == every
	for i := range l.topology.Links {
		var sum evalsim.LinkStats
		if of.exact() {
			sum = l.sum(i, of.slice)
		}
		sampled := samples != nil && samples.Links[i] != (sampling.Entry{})
		if !whole && sum.Packets == 0 && !sampled {
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

// merged is the sum of tables, valid until the next call; nil if there are none.
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

// sum adds up the counts of a link in a slice over the repeats, and averages the rest.
func (l *linkWriter) sum(link, slice int) evalsim.LinkStats {
	var sum evalsim.LinkStats
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

// rowOf makes the row of a link without its labels. exact tells whether the exact counts
// of the row are known.
func (l *linkWriter) rowOf(i int32, sum *evalsim.LinkStats, samples *sampling.Table, exact bool) {
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
	l.row = append(l.row[:0], columns.Whole(int64(t.LinkNumber(i))), columns.String(t.NodeName(link.From)),
		columns.Whole(int64(link.FromPort)), columns.String(t.NodeName(link.To)),
		columns.Real(link.BytesPerSecond*8/1e9), bytes, packets, congested, share)
	if port && samples != nil {
		e := &samples.Links[i]
		p, f := samples.PacketsEstimate(i), samples.Fraction(i)
		l.row = append(l.row, columns.Whole(int64(math.Round(e.Packets))), columns.Real(p.Low),
			columns.Real(p.High), columns.Whole(int64(math.Round(e.Congested))),
			columns.Real(f.Value), columns.Real(f.Low), columns.Real(f.High))
	} else {
		l.row = append(l.row, make([]columns.Value, 7)...)
	}
	l.row = append(l.row, busy, stalled, mean, most)
}

// fraction is part of all, 0 where there is none.
func fraction(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
