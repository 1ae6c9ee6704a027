package remap

import (
	"context"
	"slices"

	"remap/counters"
	"remap/evalsim"
	"remap/feedback"
	"remap/job"
	"remap/topology"
)

// Environment is where mappings are simulated: a job, and what was measured of others.
type Environment struct {
	*job.Job
	// Measured is what others do on the real network; nil = not known.
	Measured *Measurement
	// Workers is how many simulations run at a time.
	Workers int
}

// Measurement is what a real network tells of others, and what is made of it.
type Measurement struct {
	*feedback.MeasuredNetwork
	// Links are port counters; nil where Samples were read.
	Links *counters.Links
	// Samples are what the job's own packets told; nil where Links were read.
	Samples *counters.Samples
	// Run is what ran while the measurement was made.
	Run *feedback.MeasuredRun
	// Others is traffic that stands for others; nil = links are slowed instead.
	Others *feedback.Others

	left *topology.Topology // the network at the rates that others leave
}

// ReadCounters reads port counters of a run under the job's start mapping. It makes traffic of
// others of them, or slows the network of the model to what others leave. An error of a file
// names the option --measured.
func (m *Environment) ReadCounters(ctx context.Context, files []string, c counters.Options,
	o evalsim.Options) error {
	links, err := counters.Open(m.Machine, files, c)
	if err != nil {
		return job.InOption("measured", err)
	}
	ran := m.Start()
	alone, err := evalsim.Repeat(ctx, m.Machine, m.Jobs(ran)[:1], o, 1, 1, nil)
	if err != nil {
		return err
	}
	x := &Measurement{Links: links, Run: m.measuredRun(o)}
	x.MeasuredNetwork = feedback.NewMeasuredNetwork(m.Machine, m.Allocation, m.Traffic, ran, links, alone[0])
	if err := x.slow(m.Machine); err != nil {
		return err
	}
	if x.Others, err = x.FindOthers(ctx, x.Run); err != nil {
		return err
	}
	m.Measured = x
	return nil
}

// ReadSamples reads what the job's own packets told of a run under the job's start mapping, and
// slows the network of the model to what others leave.
func (m *Environment) ReadSamples(ctx context.Context, file string, o evalsim.Options) error {
	samples, err := counters.OpenSamples(m.Machine, file)
	if err != nil {
		return job.InOption("measured", err)
	}
	x := &Measurement{Samples: samples, Run: m.measuredRun(o)}
	if x.MeasuredNetwork, err = feedback.FromSamples(ctx, x.Run, samples); err != nil {
		return err
	}
	if err := x.slow(m.Machine); err != nil {
		return err
	}
	m.Measured = x
	return nil
}

// measuredRun is what ran while the measurement was made: the job under its start mapping.
func (m *Environment) measuredRun(o evalsim.Options) *feedback.MeasuredRun {
	return &feedback.MeasuredRun{Machine: m.Machine, Allocation: m.Allocation, Program: m.Program,
		Previous: m.Start(), Options: o.Unsampled(), Routing: m.Routing, Workers: m.Workers}
}

// slow makes the network at the rates that others leave.
func (x *Measurement) slow(machine *topology.Topology) (err error) {
	if x.left, err = x.Throttled(machine); err != nil {
		return err
	}
	for l := range x.left.Links {
		x.left.Links[l].BytesPerSecond = max(x.left.Links[l].BytesPerSecond, job.SlowestLink)
	}
	return nil
}

// Network is where mappings are simulated: at the rates that others leave, where
// those were measured and no traffic stands for others.
func (m *Environment) Network() *topology.Topology {
	if m.Measured == nil || m.Measured.Others != nil {
		return m.Machine
	}
	return m.Measured.left
}

// Beside are the jobs in the network with the mapped one: background jobs, and traffic that
// stands for measured ones.
func (m *Environment) Beside() []evalsim.Job {
	if m.Measured != nil && m.Measured.Others != nil {
		return append(slices.Clone(m.Measured.Others.Jobs[0]), m.Others()...)
	}
	return m.Others()
}

// Simulator simulates mappings of the job beside others.
func (m *Environment) Simulator(o evalsim.Options) feedback.Evaluate {
	if m.Measured != nil && m.Measured.Others != nil {
		return m.Measured.Others.Simulator(m.Measured.Run, o)
	}
	return feedback.Simulator(m.Network(), m.Allocation, m.Program, o, m.Workers, m.Beside()...)
}
