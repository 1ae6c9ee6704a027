package evalsim

import (
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
// and phases, with what the first job's receivers concluded.
type LinksOptions struct {
	Format columns.Format
	Job    int      // whose receivers fill the est_ columns, or AllJobs
	Slices bool     // a column `slice` and rows of every time slice, from 0; needs Options.SliceLength
	Phases []string // not empty: a column `phase` and rows of every phase, under these names; needs Options.ByPhase
}

// WriteLinks writes one row for every directed link: exact counts summed over
// the repeats, the receivers' estimates over all repeats beside them, and busy
// time, stalls and queues averaged over the repeats. Links are numbered as
// topology.Topology.LinkNumber does. Injection links have no
// switch port to sample or to congest: those fields are missing.
//
// Rows of a slice or a phase tell of that alone, in order of slice, phase and
// link, and links with no packet to tell of are left out. A packet counts in
// the slice in which a link begins to send it, and in the estimates in the one
// in which it arrives. Of single phases only estimates are known.
func WriteLinks(w io.Writer, t *topology.Topology, results []*Result, o LinksOptions) error {
	named := linkColumns[:len(linkColumns):len(linkColumns)]
	if o.Slices {
		named = append(named, columns.Column{Name: "slice", Kind: columns.Integer})
	}
	if len(o.Phases) > 0 {
		named = append(named, columns.Column{Name: "phase", Kind: columns.Text})
	}
	out, err := columns.NewWriter(w, o.Format, named)
	if err != nil {
		return err
	}
	l := linkWriter{topology: t, results: results, options: o, out: out}
	for _, slice := range each(o.Slices, l.slices()) {
		for _, phase := range each(len(o.Phases) > 0, len(o.Phases)) {
			if err := l.write(slice, phase); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// every stands for all slices, or all phases.
const every = -1

// each is 0..count-1, or every one at once.
func each(apart bool, count int) []int {
	if !apart {
		return []int{every}
	}
	all := make([]int, count)
	for i := range all {
		all[i] = i
	}
	return all
}

type linkWriter struct {
	topology *topology.Topology
	results  []*Result
	options  LinksOptions
	out      *columns.Writer
	row      []columns.Value
}

// slices is how many the longest repeat has.
func (l *linkWriter) slices() int {
	count := 0
	for _, r := range l.results {
		count = max(count, len(r.Slices))
	}
	return count
}

// write writes the rows of a slice and a phase.
func (l *linkWriter) write(slice, phase int) error {
	samples := l.samples(slice, phase)
	for i := range l.topology.Links {
		sum := l.sum(i, slice)
		if slice != every || phase != every {
			known := phase == every && sum.Packets > 0
			sampled := samples != nil && (samples.Links[i] != (sampling.Entry{}))
			if !known && !sampled {
				continue
			}
		}
		l.rowOf(int32(i), &sum, samples, phase)
		if slice != every {
			l.row = append(l.row, columns.Whole(int64(slice)))
		}
		if phase != every {
			l.row = append(l.row, columns.String(l.options.Phases[phase]))
		}
		if err := l.out.Write(l.row); err != nil {
			return err
		}
	}
	return nil
}

// samples are what the receivers concluded over all repeats; nil without
// sampling.
func (l *linkWriter) samples(slice, phase int) *sampling.Table {
	var table *sampling.Table
	merge := func(t *sampling.Table) {
		if t == nil {
			return
		}
		if table == nil {
			table = sampling.NewTable(t.Variant, len(l.topology.Links))
		}
		table.Merge(t)
	}
	for _, r := range l.results {
		if slice == every && phase == every {
			for job, t := range r.Samples {
				if l.options.Job == AllJobs || l.options.Job == job {
					merge(t)
				}
			}
			continue
		}
		for i := range r.Parts {
			if p := &r.Parts[i]; (slice == every || p.Slice == slice) && (phase == every || p.Phase == phase) &&
				(l.options.Job == AllJobs || p.Job == l.options.Job) {
				merge(p.Samples)
			}
		}
	}
	return table
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

// rowOf makes the row of a link, slice and phase left out.
func (l *linkWriter) rowOf(i int32, sum *LinkStats, samples *sampling.Table, phase int) {
	t, link := l.topology, &l.topology.Links[i]
	var bytes, packets, congested, share, busy, stalled, mean, most columns.Value
	port := !t.IsHost(link.From)
	if phase == every {
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
