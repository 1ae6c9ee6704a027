package simfiles

import (
	"encoding/hex"
	"io"
	"strconv"

	"remap/evalsim"
	"remap/internal/columns"
	"remap/sampling"
	"remap/topology"
)

// sampleColumns are the columns that a samples file has under every variant.
var sampleColumns = []columns.Column{
	{Name: "repeat", Kind: columns.Integer},
	{Name: "job", Kind: columns.Integer},
	{Name: "source", Kind: columns.Integer},
	{Name: "destination", Kind: columns.Integer},
	{Name: "tag", Kind: columns.Integer},
	{Name: "phase", Kind: columns.Text},
	{Name: "call_site", Kind: columns.Text, Optional: true},
	{Name: "arrival_ns", Kind: columns.Integer},
	{Name: "hop_link", Kind: columns.Integer, Optional: true},
	{Name: "hops", Kind: columns.Integer},
	{Name: "congested_link", Kind: columns.Integer, Optional: true},
	{Name: "congested_hops", Kind: columns.Integer},
}

// variantColumn is a column that only some variants have.
type variantColumn struct {
	columns.Column
	value func(s *SamplesWriter, d *evalsim.Delivery) columns.Value
}

// whole is a column of whole numbers.
func whole(name string, number func(d *evalsim.Delivery) int64) variantColumn {
	return variantColumn{columns.Column{Name: name, Kind: columns.Integer},
		func(_ *SamplesWriter, d *evalsim.Delivery) columns.Value { return columns.Whole(number(d)) }}
}

// link is a column of link numbers.
func link(name string, index func(d *evalsim.Delivery) int32) variantColumn {
	return variantColumn{columns.Column{Name: name, Kind: columns.Integer},
		func(s *SamplesWriter, d *evalsim.Delivery) columns.Value { return s.linkOrNone(index(d)) }}
}

// links is a column of lists of links.
func links(name string, optional bool, list func(d *evalsim.Delivery) []int32) variantColumn {
	return variantColumn{columns.Column{Name: name, Kind: columns.Text, Optional: optional},
		func(s *SamplesWriter, d *evalsim.Delivery) columns.Value { return s.linksOrNone(list(d)) }}
}

// filter is a column of Bloom filters.
func filter(name string, words func(d *evalsim.Delivery) []uint64) variantColumn {
	return variantColumn{columns.Column{Name: name, Kind: columns.Text},
		func(s *SamplesWriter, d *evalsim.Delivery) columns.Value { return s.filter(words(d)) }}
}

// The columns of variants, in groups of what a variant has together.
var (
	identityColumns = []variantColumn{
		whole("id", func(d *evalsim.Delivery) int64 { return int64(d.ID) }),
	}
	pathColumns = []variantColumn{
		link("in_link", func(d *evalsim.Delivery) int32 { return d.In }),
		link("out_link", func(d *evalsim.Delivery) int32 { return d.Out }),
	}
	hopBitColumns = []variantColumn{
		whole("hop_bit", func(d *evalsim.Delivery) int64 { return int64(d.HopBit) }),
	}
	congestedBitColumns = []variantColumn{
		whole("congested_bit", func(d *evalsim.Delivery) int64 { return int64(d.CongestedBit) }),
	}
	slotColumns = []variantColumn{
		links("hop_links", false, func(d *evalsim.Delivery) []int32 { return d.Wide.Hops }),
		links("congested_links", true, func(d *evalsim.Delivery) []int32 { return d.Wide.Congested }),
	}
	filterColumns = []variantColumn{
		filter("hop_filter", func(d *evalsim.Delivery) []uint64 { return d.Wide.Filter }),
		filter("congested_filter", func(d *evalsim.Delivery) []uint64 { return d.Wide.CongestedFilter }),
	}
)

// unlimited is the limit of hop counters of 8 bits: no path is longer.
const unlimited = 255

// columnsOf are the columns that a variant has beside sampleColumns: with both, a receiver
// knows all it needs to make its table.
func columnsOf(v sampling.Variant) (more []variantColumn) {
	bloom := v.Kind == sampling.Bloom
	for _, group := range []struct {
		has     bool
		columns []variantColumn
	}{
		{v.Hashed() || bloom, identityColumns},
		{v.Kind != sampling.Off && (v.Hashed() || bloom || v.Limit() < unlimited), pathColumns},
		{v.Hashed(), hopBitColumns},
		{v.Kind == sampling.OneReservoir || v.Hashed(), congestedBitColumns},
		{v.Slots > 1, slotColumns},
		{bloom, filterColumns},
	} {
		if group.has {
			more = append(more, group.columns...)
		}
	}
	return more
}

// SamplesWriter writes one row for every delivered packet: repeat and job from 0, ranks
// within the job, the message's tag, the names of its phase and, where it is known, its
// call site, the arrival time in whole ns, and what the packet carried: one link that it
// crossed, the number of switch ports that it crossed, one congested link, and the number
// of congested ports. Links are numbered by topology.Topology.LinkNumber, as in the links
// file. Where there is no link, the value is missing.
//
// Further columns depend on the variant. With them package sampling can make the receivers'
// tables from the file: the packet's identity, its injection and ejection link, hashed
// bits, several links joined by semicolons, and Bloom filters in hexadecimal, byte by byte
// from the low bit of the first one on.
//
// Under full sampling a row is about 40 bytes of CSV or 8 bytes of Parquet. A halo exchange
// of 64 x 72 ranks with 128 KiB for each of four neighbours delivers 581,120 packets a repeat.
type SamplesWriter struct {
	out      *columns.Writer
	topology *topology.Topology
	phases   [][]columns.Value // by job, then phase
	sites    [][]columns.Value // by job, then call site
	more     []variantColumn
	bytes    int // of a Bloom filter
	row      []columns.Value
	scratch  []byte
}

// NewSamplesWriter begins the samples file of jobs on a topology under a sampling variant.
func NewSamplesWriter(w io.Writer, f Format, t *topology.Topology, v sampling.Variant,
	jobs []evalsim.Job) (*SamplesWriter, error) {
	s := &SamplesWriter{topology: t, more: columnsOf(v), bytes: (v.Bits + 7) / 8}
	all := sampleColumns[:len(sampleColumns):len(sampleColumns)]
	for _, c := range s.more {
		all = append(all, c.Column)
	}
	var err error
	if s.out, err = newTable(w, f, all); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		var phases, sites []columns.Value
		for _, name := range evalsim.PhaseNames(j) {
			phases = append(phases, columns.String(name))
		}
		for _, name := range evalsim.CallSiteNames(j) {
			sites = append(sites, nameOrNone(name))
		}
		s.phases, s.sites = append(s.phases, phases), append(s.sites, sites)
	}
	return s, nil
}

// Take writes deliveries of a repeat. It has the type that
// evalsim.Simulation.RepeatDelivered calls.
func (s *SamplesWriter) Take(repeat int, some []evalsim.Delivery) error {
	for i := range some {
		d := &some[i]
		s.row = append(s.row[:0], columns.Whole(int64(repeat)), columns.Whole(int64(d.Job)),
			columns.Whole(int64(d.Source)), columns.Whole(int64(d.Destination)), columns.Whole(int64(d.Tag)),
			s.phases[d.Job][d.Phase], s.sites[d.Job][d.CallSite],
			columns.Whole(d.Arrival/1000), s.linkOrNone(d.HopLink), columns.Whole(int64(d.Hops)),
			s.linkOrNone(d.CongestedLink), columns.Whole(int64(d.CongestedHops)))
		for _, c := range s.more {
			s.row = append(s.row, c.value(s, d))
		}
		if err := s.out.Write(s.row); err != nil {
			return err
		}
	}
	return nil
}

// linkOrNone is the number of a link, a missing value where there is none.
func (s *SamplesWriter) linkOrNone(link int32) columns.Value {
	if link < 0 {
		return columns.Value{}
	}
	return columns.Whole(int64(s.topology.LinkNumber(link)))
}

// linksOrNone joins the numbers of a reservoir's links.
func (s *SamplesWriter) linksOrNone(links []int32) columns.Value {
	if len(links) == 0 {
		return columns.Value{}
	}
	s.scratch = s.scratch[:0]
	for i, link := range links {
		if i > 0 {
			s.scratch = append(s.scratch, ';')
		}
		s.scratch = strconv.AppendInt(s.scratch, int64(s.topology.LinkNumber(link)), 10)
	}
	return columns.String(string(s.scratch))
}

// filter is a Bloom filter in hexadecimal.
func (s *SamplesWriter) filter(words []uint64) columns.Value {
	s.scratch = s.scratch[:0]
	for i := range s.bytes {
		s.scratch = append(s.scratch, byte(words[i/8]>>(i%8*8)))
	}
	return columns.String(hex.EncodeToString(s.scratch))
}

// Close ends the file; the writer below stays open.
func (s *SamplesWriter) Close() error { return s.out.Close() }
