package evalsim

import (
	"encoding/hex"
	"io"
	"strconv"

	"remap/internal/columns"
	"remap/sampling"
	"remap/topology"
)

// sampleColumns are those of a file of samples under any variant.
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

// variantColumn is one of a group that only some variants have.
type variantColumn struct {
	columns.Column
	tell func(s *SamplesWriter, d *Delivery) columns.Value
}

// Columns of variants.
var (
	identityColumns = []variantColumn{
		{columns.Column{Name: "id", Kind: columns.Integer}, func(_ *SamplesWriter, d *Delivery) columns.Value { return columns.Whole(int64(d.ID)) }},
	}
	pathColumns = []variantColumn{
		{columns.Column{Name: "in_link", Kind: columns.Integer}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.linkOrNone(d.In) }},
		{columns.Column{Name: "out_link", Kind: columns.Integer}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.linkOrNone(d.Out) }},
	}
	hopBitColumns = []variantColumn{
		{columns.Column{Name: "hop_bit", Kind: columns.Integer}, func(_ *SamplesWriter, d *Delivery) columns.Value { return columns.Whole(int64(d.HopBit)) }},
	}
	congestedBitColumns = []variantColumn{
		{columns.Column{Name: "congested_bit", Kind: columns.Integer}, func(_ *SamplesWriter, d *Delivery) columns.Value { return columns.Whole(int64(d.CongestedBit)) }},
	}
	slotColumns = []variantColumn{
		{columns.Column{Name: "hop_links", Kind: columns.Text}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.linksOrNone(d.Wide.Hops) }},
		{columns.Column{Name: "congested_links", Kind: columns.Text, Optional: true}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.linksOrNone(d.Wide.Congested) }},
	}
	filterColumns = []variantColumn{
		{columns.Column{Name: "hop_filter", Kind: columns.Text}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.filter(d.Wide.Filter) }},
		{columns.Column{Name: "congested_filter", Kind: columns.Text}, func(s *SamplesWriter, d *Delivery) columns.Value { return s.filter(d.Wide.CongestedFilter) }},
	}
)

// columnsOf are those that a variant has beside sampleColumns: what a receiver
// must know of a packet beyond them to make its table.
func columnsOf(v sampling.Variant) (more []variantColumn) {
	bloom := v.Kind == sampling.Bloom
	for _, group := range []struct {
		has     bool
		columns []variantColumn
	}{
		{v.Hashed() || bloom, identityColumns},
		{v.Kind != sampling.Off && (v.Hashed() || bloom || v.Limit() < countMask), pathColumns},
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

// SamplesWriter writes a row for every delivered packet: repeat and job from 0,
// ranks within the job, the message's tag and the names of its phase and, where it
// is known, call site, the time of arrival in whole ns, and what the packet carried: one link it crossed and how
// many switch ports it crossed, one congested link and how many were congested.
// Links are numbered as in the links file (topology.Topology.LinkNumber), and
// missing when there is none.
//
// Further columns are those of the variant, so that package sampling can make
// the receivers' tables from the file: the packet's identity, its injection and
// ejection link, hashed bits, several links joined by semicolons, and Bloom
// filters in hexadecimal, in bytes from the low bit of the first one on.
//
// Under full sampling a row is about 40 bytes of CSV or 8 of Parquet; 64 x 72 ranks exchanging
// 128 KiB with four neighbours each deliver 581,120 packets a repeat.
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

// NewSamplesWriter begins a file of jobs on a topology whose packets carry what
// a variant says.
func NewSamplesWriter(w io.Writer, f columns.Format, t *topology.Topology, v sampling.Variant, jobs []Job) (*SamplesWriter, error) {
	s := &SamplesWriter{topology: t, more: columnsOf(v), bytes: (v.Bits + 7) / 8}
	all := sampleColumns[:len(sampleColumns):len(sampleColumns)]
	for _, c := range s.more {
		all = append(all, c.Column)
	}
	var err error
	if s.out, err = columns.NewWriter(w, f, all); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		var phases, sites []columns.Value
		for _, name := range PhaseNames(j) {
			phases = append(phases, columns.String(name))
		}
		for _, name := range CallSiteNames(j) {
			sites = append(sites, nameOrNone(name))
		}
		s.phases, s.sites = append(s.phases, phases), append(s.sites, sites)
	}
	return s, nil
}

// PhaseNames are the names of a job's phases; a program without any has phase "0".
func PhaseNames(j Job) []string {
	names := make([]string, max(1, len(j.Program.Phases)))
	for i := range names {
		if names[i] = strconv.Itoa(i); i < len(j.Program.Phases) {
			names[i] = j.Program.Phases[i]
		}
	}
	return names
}

// CallSiteNames are the names of a job's call sites; a program without any has "".
func CallSiteNames(j Job) []string {
	if len(j.Program.CallSites) == 0 {
		return []string{""}
	}
	return j.Program.CallSites
}

// Take writes deliveries of a repeat, as Simulation.RepeatDelivered hands them
// over.
func (s *SamplesWriter) Take(repeat int, some []Delivery) error {
	for i := range some {
		d := &some[i]
		s.row = append(s.row[:0], columns.Whole(int64(repeat)), columns.Whole(int64(d.Job)),
			columns.Whole(int64(d.Source)), columns.Whole(int64(d.Destination)), columns.Whole(int64(d.Tag)), s.phases[d.Job][d.Phase], s.sites[d.Job][d.CallSite],
			columns.Whole(d.Arrival/1000), s.linkOrNone(d.HopLink), columns.Whole(int64(d.Hops)),
			s.linkOrNone(d.CongestedLink), columns.Whole(int64(d.CongestedHops)))
		for _, c := range s.more {
			s.row = append(s.row, c.tell(s, d))
		}
		if err := s.out.Write(s.row); err != nil {
			return err
		}
	}
	return nil
}

func (s *SamplesWriter) linkOrNone(link int32) columns.Value {
	if link < 0 {
		return columns.Value{}
	}
	return columns.Whole(int64(s.topology.LinkNumber(link)))
}

// linksOrNone joins the links of a reservoir.
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

func (s *SamplesWriter) filter(words []uint64) columns.Value {
	s.scratch = s.scratch[:0]
	for i := range s.bytes {
		s.scratch = append(s.scratch, byte(words[i/8]>>(i%8*8)))
	}
	return columns.String(hex.EncodeToString(s.scratch))
}

// Close ends the file; the writer below stays open.
func (s *SamplesWriter) Close() error { return s.out.Close() }
