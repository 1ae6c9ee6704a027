package remap

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"remap/counters"
	"remap/diagnosis"
	"remap/evalsim"
	"remap/linkview"
	"remap/mapping"
	"remap/sampling"
	"remap/strategy"
	"remap/workload"
)

// DiagnoseOptions say how a job is simulated to find out why it is slow.
type DiagnoseOptions struct {
	// Simulation has the sampling, and ByPhase, ByTag or ByCallSite to tell these apart.
	Simulation evalsim.Options
	// Repeats of the simulation.
	Repeats int
	// Administrator: the samples of all jobs are read, not of the job's own packets alone.
	Administrator bool
	// Slices tells so many slices of time apart; 0 = none.
	Slices int
	// Step is called after each simulation; nil = nobody asks.
	Step func()
}

// Diagnosis is why a job is slow, as a whole and in parts.
type Diagnosis struct {
	*diagnosis.Verdict
	// Input is what the verdict was made from.
	Input *diagnosis.Input
	// Results are the simulations, with slices of SliceLength; nil where the network was measured.
	Results     []*evalsim.Result
	SliceLength time.Duration
	// Parts are the slices, phases, tags or call sites.
	Parts []DiagnosisPart
}

// DiagnosisPart is the verdict of a slice of time, a phase, a tag or a call site.
type DiagnosisPart struct {
	Name    string
	Verdict *diagnosis.Verdict
}

// timeSlices is how many slices of time a run has. Longer ones hide that the job fills a link in one phase of
// a step; in shorter ones packets that others held up and that then pass together seem to fill it.
const timeSlices = 24

// mostSliced bounds links times slices times repeats: the memory of samples by slices.
const mostSliced = 16 << 20

// Diagnose simulates the job under a mapping and finds out why it is slow, from what its packets sample.
func (m *Environment) Diagnose(ctx context.Context, placed mapping.Mapping, o DiagnoseOptions) (*Diagnosis,
	error) {
	jobs := m.Jobs(placed)
	first, err := evalsim.Run(ctx, m.Machine, jobs, o.Simulation.Unsampled())
	if err != nil {
		return nil, err
	}
	count := o.Slices
	if count == 0 {
		count = min(timeSlices, mostSliced/max(1, len(m.Machine.Links)*o.Repeats))
	}
	if count > 0 {
		o.Simulation.SliceLength = time.Duration(max(1, math.Ceil(first.Makespan/float64(count))))
		o.Simulation.MaxSlices = o.Slices // 0: repeats of more steps have more slices
	}
	results, err := evalsim.Repeat(ctx, m.Machine, jobs, o.Simulation, o.Repeats, m.Workers, o.Step)
	if err != nil {
		return nil, err
	}
	s := &sampledRuns{Environment: m, results: results, jobs: jobs, options: &o}
	in := s.input(func(evalsim.Part) bool { return true })
	in.Hosts, in.Traffic = placed.Hosts(m.Allocation), m.Traffic
	step := 0.0
	for _, r := range results {
		step += r.StepTime[0] / 1e9 / float64(len(results))
	}
	if err = m.needs(ctx, in, placed, m.Program.VolumeScale/step); err != nil {
		return nil, err
	}
	d := &Diagnosis{Verdict: diagnosis.Diagnose(in), Input: in, Results: results,
		SliceLength: o.Simulation.SliceLength}
	for _, part := range s.parts() {
		some := s.input(part.has)
		some.Hosts, some.Traffic = in.Hosts, in.Traffic
		some.Bounds.Least = 0
		d.Parts = append(d.Parts, DiagnosisPart{part.name, diagnosis.Diagnose(some)})
	}
	return d, nil
}

// DiagnoseMeasured finds out why the job is slow from what was measured on its network: Measured, of a
// run under the job's start mapping.
func (m *Environment) DiagnoseMeasured(ctx context.Context) (*Diagnosis, error) {
	x, placed := m.Measured, m.Start()
	all, congested := make([]float64, len(x.Own)), slices.Clone(x.Congested)
	for l := range all {
		if all[l] = x.Own[l] + x.Carried[l]; all[l] >= fullLink {
			congested[l] = max(congested[l], all[l])
		}
	}
	in := &diagnosis.Input{Machine: m.Machine, Hosts: placed.Hosts(m.Allocation), Traffic: m.Traffic,
		Own: measuredView(m, x, x.Own, congested), All: measuredView(m, x, all, congested)}
	if x.Factor > 0 {
		if err := m.needs(ctx, in, placed, x.Factor); err != nil {
			return nil, err
		}
	}
	return &Diagnosis{Verdict: diagnosis.Diagnose(in), Input: in}, nil
}

// fullLink is the use from which on a port counts as congested by counters: one that always sends never
// stands still, and counts no waiting. Those behind it do.
const fullLink = 0.9

// measuredView is the view of shares of links' rates, in bytes of a second.
func measuredView(m *Environment, x *Measurement, shares, congested []float64) *linkview.View {
	c := &counters.Links{Rate: make([]float64, len(shares)), Congested: congested, Known: x.Known}
	for l, share := range shares {
		c.Rate[l] = share * m.Machine.Links[l].BytesPerSecond
	}
	v := linkview.FromCounters(m.Machine, c)
	for l := range v.Links {
		v.Links[l].Packets, v.Links[l].Low = v.Links[l].Bytes, v.Links[l].Bytes
	}
	return v
}

// needs fills in what the traffic of the job needs, if it is played so often a second.
func (m *Environment) needs(ctx context.Context, in *diagnosis.Input, placed mapping.Mapping,
	perSecond float64) error {
	rate := 0.0
	for _, h := range m.Allocation.Hosts {
		first, _ := m.Machine.Out(h)
		rate = max(rate, m.Machine.Links[first].BytesPerSecond)
	}
	sends := workload.InjectionBound(m.Program, rate, rate).Seconds() / m.Program.VolumeScale
	now, between := m.busiest(placed)
	least, fewest := now.Interior, between
	for _, name := range []string{"identity", "multisection", "tiling", "swap"} {
		s, err := strategy.Parse(name)
		if err != nil {
			return err
		}
		for _, objective := range []mapping.Objective{mapping.LinkLoad, mapping.PathLength} {
			p := m.Problem(1)
			p.Objective = objective
			better, err := s.Map(ctx, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil { // tiling knows grids only
				b, bytes := m.busiest(better)
				least, fewest = min(least, b.Interior), min(fewest, bytes)
			}
		}
	}
	in.Bounds = diagnosis.Bounds{Injection: max(now.Injection, sends) * perSecond,
		Ejection: now.Ejection * perSecond, Interior: now.Interior * perSecond, Least: least * perSecond}
	if between > 0 {
		in.Between = fewest / between
	}
	return nil
}

// busiest is the time that the job's bytes take on the busiest links, and how many cross links between
// switches.
func (m *Environment) busiest(placed mapping.Mapping) (b diagnosis.Bounds, between float64) {
	for l, seconds := range m.Routing.LinkLoads(m.Machine, m.Allocation, m.Traffic, placed) {
		link := &m.Machine.Links[l]
		switch {
		case m.Machine.IsHost(link.From):
			b.Injection = max(b.Injection, seconds)
		case m.Machine.IsHost(link.To):
			b.Ejection = max(b.Ejection, seconds)
		default:
			b.Interior = max(b.Interior, seconds)
			between += seconds * link.BytesPerSecond
		}
	}
	return b, between
}

// sampledRuns are simulations with samples in parts.
type sampledRuns struct {
	*Environment
	results []*evalsim.Result
	jobs    []evalsim.Job
	options *DiagnoseOptions
}

// category is a slice, phase, tag or call site.
type category struct {
	name string
	has  func(evalsim.Part) bool
}

// input is what the job's packets have told, or an administrator's, in some parts.
func (s *sampledRuns) input(has func(evalsim.Part) bool) *diagnosis.Input {
	in := &diagnosis.Input{Machine: s.Machine, Own: s.view(has, false)}
	if s.options.Administrator {
		in.All = s.view(has, true)
		return in
	}
	if s.options.Simulation.SliceLength == 0 {
		return in
	}
	for _, r := range s.results {
		tables := map[int][]*sampling.Table{}
		last := 0
		for _, p := range r.Parts {
			if p.Job == 0 && has(p) {
				tables[p.Slice] = append(tables[p.Slice], p.Samples)
				last = max(last, p.Slice)
			}
		}
		for k := range last + 1 {
			if len(tables[k]) > 0 {
				in.Slices = append(in.Slices, linkview.FromSamples(s.Machine, tables[k], s.packetBytes(false),
					s.sliceSeconds(r, k)))
			}
		}
	}
	return in
}

// view is that of the job's packets, or of all, in some parts. A part that is not all of the time takes
// the slices in which it has packets.
func (s *sampledRuns) view(has func(evalsim.Part) bool, all bool) *linkview.View {
	var tables []*sampling.Table
	seconds := 0.0
	for _, r := range s.results {
		used := map[int]bool{}
		for _, p := range r.Parts {
			if (all || p.Job == 0) && has(p) {
				tables = append(tables, p.Samples)
				used[p.Slice] = true
			}
		}
		if len(r.Parts) == 0 {
			tables, used[0] = append(tables, r.Samples[0]), true
		}
		for k := range used {
			seconds += s.sliceSeconds(r, k)
		}
	}
	return linkview.FromSamples(s.Machine, tables, s.packetBytes(all), seconds)
}

// sliceSeconds is how long a slice of a simulation is; the last one takes all that comes later.
func (s *sampledRuns) sliceSeconds(r *evalsim.Result, k int) float64 {
	o, end := &s.options.Simulation, r.Elapsed[0]
	if s.options.Administrator {
		end = r.Makespan
	}
	length := float64(o.SliceLength.Nanoseconds())
	if begin := float64(k) * length; length == 0 || k == o.MaxSlices-1 || begin+length > end {
		return max(1, end-begin) / 1e9
	}
	return length / 1e9
}

// packetBytes is the mean size of the packets of the job, or of all jobs.
func (s *sampledRuns) packetBytes(all bool) float64 {
	bytes, packets := 0.0, 0.0
	for i := range s.jobs {
		if i > 0 && !all {
			break
		}
		for _, op := range s.jobs[i].Program.Ops {
			if op.Kind.IsSend() {
				bytes += float64(op.Bytes)
			}
		}
		packets += float64(s.jobs[i].Program.Packets(s.options.Simulation.PacketBytes))
	}
	return bytes / max(1, packets)
}

// parts are the categories that were asked for.
func (s *sampledRuns) parts() (all []category) {
	o := &s.options.Simulation
	add := func(name string, of func(evalsim.Part) int, k int) {
		all = append(all, category{name, func(p evalsim.Part) bool { return of(p) == k }})
	}
	if s.options.Slices > 0 {
		for k := range s.options.Slices {
			begin := time.Duration(k) * o.SliceLength
			add("from "+begin.String(), func(p evalsim.Part) int { return p.Slice }, k)
		}
	}
	if o.ByPhase {
		for k, name := range evalsim.PhaseNames(s.jobs[0]) {
			add("phase "+name, func(p evalsim.Part) int { return p.Phase }, k)
		}
	}
	if o.ByCallSite {
		for k, name := range evalsim.CallSiteNames(s.jobs[0]) {
			add("call site "+name, func(p evalsim.Part) int { return p.CallSite }, k)
		}
	}
	if o.ByTag {
		tags := map[int]bool{}
		for _, r := range s.results {
			for _, p := range r.Parts {
				if p.Job == 0 && !tags[p.Tag] {
					tags[p.Tag] = true
					add("tag "+strconv.Itoa(p.Tag), func(p evalsim.Part) int { return p.Tag }, p.Tag)
				}
			}
		}
	}
	return all
}
