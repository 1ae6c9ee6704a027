package evalsim

import (
	"io"
	"strconv"

	"remap/internal/columns"
	"remap/topology"
)

// sampleColumns are those of a file of samples.
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

// SamplesWriter writes a row for every delivered packet: repeat and job from 0,
// ranks within the job, the message's tag and the names of its phase and, where it
// is known, call site, the time of arrival in whole ns, and what the packet carried: one link it crossed and how
// many switch ports it crossed, one congested link and how many were congested.
// Links are numbered as in the links file (topology.Topology.LinkNumber), and
// missing when there is none.
//
// A row is about 40 bytes of CSV or 8 of Parquet; 64 x 72 ranks exchanging
// 128 KiB with four neighbours each deliver 581,120 packets a repeat.
type SamplesWriter struct {
	out      *columns.Writer
	topology *topology.Topology
	phases   [][]columns.Value // by job, then phase
	sites    [][]columns.Value // by job, then call site
	row      []columns.Value
}

// NewSamplesWriter begins a file of jobs on a topology.
func NewSamplesWriter(w io.Writer, f columns.Format, t *topology.Topology, jobs []Job) (*SamplesWriter, error) {
	out, err := columns.NewWriter(w, f, sampleColumns)
	if err != nil {
		return nil, err
	}
	s := &SamplesWriter{out: out, topology: t, row: make([]columns.Value, len(sampleColumns))}
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

// Close ends the file; the writer below stays open.
func (s *SamplesWriter) Close() error { return s.out.Close() }
