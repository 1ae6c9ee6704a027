package feedback

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// MeasuredRun is the run during which counters were read.
type MeasuredRun struct {
	Machine    *topology.Topology
	Allocation *mapping.Allocation
	Program    *workload.Program
	// Previous is the mapping under which it ran.
	Previous mapping.Mapping
	// Options are those of simulations.
	Options evalsim.Options
	Routing mapping.RoutingModel
	Workers int
}

// Others is traffic that stands for what others were measured to send.
type Others struct {
	// Jobs are variants of the traffic, endless, on hosts that the job was not offered. Each is
	// drawn with another seed.
	Jobs [][]evalsim.Job
	// Name is what the traffic is made of.
	Name string
	// Hosts is how many hosts send or receive.
	Hosts int
	// Windows: variant k is of interval k modulo this number; 0 = all are of the whole time.
	Windows int
	// Silent is how many of these intervals have no traffic of others. The job is alone in their
	// variants.
	Silent int

	// Bytes, Stall and Time are how far links between switches are from what was measured of them
	// when the job runs beside the first variant under the mapping that ran. Bytes and Stall are
	// absolute differences summed over all links, divided by the sum of the links' bytes or of the
	// time in which they sent. Of several intervals they are means over those in which others send.
	// Bytes is that of bytes sent.
	Bytes float64
	// Stall is that of the time in which links wait for credits.
	Stall float64
	// Time is the simulated over the measured time of the job; 0 = not known.
	Time float64
}

// Simulator is the Evaluate of a job among the others. Repeat i is beside variant i modulo their
// number, whatever other repeats are simulated.
func (o *Others) Simulator(r *MeasuredRun, options evalsim.Options) Evaluate {
	n := len(o.Jobs)
	simulators := make([]Evaluate, n)
	running := make(chan struct{}, max(1, r.Workers))
	for k := range simulators {
		simulators[k] = simulatorIn(running, r.Machine, r.Allocation, r.Program, options, o.Jobs[k]...)
	}
	return func(ctx context.Context, x mapping.Mapping, first, count int) (*Evaluation, error) {
		results := make([]*evalsim.Result, count)
		group, ctx := errgroup.WithContext(ctx)
		for k, simulate := range simulators {
			begin := (first - k + n - 1) / n // begin*n+k is the first repeat of variant k
			end := (first + count - k + n - 1) / n
			if begin == end {
				continue
			}
			group.Go(func() error {
				e, err := simulate(ctx, x, begin, end-begin)
				for i := 0; err == nil && i < len(e.Results); i++ {
					results[(begin+i)*n+k-first] = e.Results[i]
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		return &Evaluation{Results: results}, nil
	}
}

// misfit decides among several descriptions of others. The real job also computes, so a measured
// time above the simulated one does not count.
func (o *Others) misfit() float64 {
	return o.Bytes + o.Stall + math.Log(max(1, o.Time))
}

// description is a way to make traffic from rates between leaf switches.
type description struct {
	name  string
	mixed bool
	// bytes is the size of a message.
	bytes int64
}

// FindOthers makes traffic between the hosts that the job was not offered, from what was measured
// of them. It returns nil where counters do not tell of others' hosts, or where no description
// comes near. The error is that of ctx.
//
// Of several intervals each has variants of its own (byWindows). Where one interval has no
// description that comes near, all variants are of the whole time.
func (m *MeasuredNetwork) FindOthers(ctx context.Context, r *MeasuredRun) (*Others, error) {
	x := r.foreign(m)
	if x == nil {
		return nil, nil
	}
	if len(m.Windows) > 1 {
		o, err := m.byWindows(ctx, r)
		if o != nil || err != nil {
			return o, err
		}
	}
	o, d, err := m.describe(ctx, r, x, 0)
	if o == nil || err != nil {
		return nil, err
	}
	for seed := uint64(1); seed < variants; seed++ {
		o.Jobs = append(o.Jobs, x.jobs(m, d, seed))
	}
	return o, nil
}

// describe simulates several descriptions of others' traffic beside the job, under the mapping that
// ran, and returns the one that brings links nearest to what was measured of them. It is drawn with
// a seed, as a first variant. nil where none comes near.
func (m *MeasuredNetwork) describe(ctx context.Context, r *MeasuredRun, x *foreignMatrix,
	seed uint64) (best *Others, chosen description, err error) {
	for _, d := range descriptions {
		o := &Others{Name: d.name, Hosts: len(x.hosts), Jobs: [][]evalsim.Job{x.jobs(m, d, seed)}}
		runs, err := o.compareRun(ctx, r, m)
		if err != nil {
			return nil, d, err
		}
		if runs && o.Bytes <= mostOff && (best == nil || o.misfit() < best.misfit()) {
			best, chosen = o, d
		}
	}
	return best, chosen, nil
}

// foreign is newForeignMatrix of a measurement of the run.
func (r *MeasuredRun) foreign(m *MeasuredNetwork) *foreignMatrix {
	links := r.Routing == mapping.MinimalRouting || r.Routing == mapping.StaticRouting
	return newForeignMatrix(r.Machine, r.Allocation.Hosts, m, links)
}

// compareRun simulates the job under the mapping that ran beside the first variant, and compares
// links with a measurement. It returns false where the job does not come to its end.
func (o *Others) compareRun(ctx context.Context, r *MeasuredRun, m *MeasuredNetwork) (bool, error) {
	own := evalsim.Job{Program: r.Program, Hosts: r.Previous.Hosts(r.Allocation)}
	options := r.Options
	options.Seed += fitStream
	jobs := append([]evalsim.Job{own}, o.Jobs[0]...)
	results, err := evalsim.Repeat(ctx, r.Machine, jobs, options, 1, r.Workers, nil)
	var starved *evalsim.StarvedError
	if errors.As(err, &starved) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	o.compare(r.Machine, m, evalsim.FirstJob(results)[0])
	return true, nil
}

// fitStream keeps seeds of these simulations apart from those of searches.
const fitStream = 0x6669740000

// jobs are the traffic of a description.
func (x *foreignMatrix) jobs(m *MeasuredNetwork, d description, seed uint64) []evalsim.Job {
	random := rand.New(rand.NewPCG(seed, 0x6f7468657273))
	var flows [][]flow
	if d.mixed {
		flows = x.mixed(random, foreignMessages)
	} else {
		flows = x.streams(random)
		x.refine(flows, x.links)
	}
	program := x.program(flows, x.rest(m), foreignMessages, d.bytes, random)
	return []evalsim.Job{{Program: program, Hosts: slices.Clone(x.hosts), Endless: true}}
}

// compare sets how far links, as means over those that are used alike, and the job's time are from
// what was measured.
func (o *Others) compare(machine *topology.Topology, m *MeasuredNetwork, result *evalsim.Result) {
	n := len(machine.Links)
	bytes, stalls := make([]float64, n), make([]float64, n)
	measured := 0.0
	for l := range n {
		if link := &machine.Links[l]; m.Known[l] && !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			busy := m.Carried[l] + min(1, m.Own[l])
			measured += busy
			bytes[l] = result.Links[l].Busy - busy
			stalls[l] = result.Links[l].Stalled - m.Congested[l]
		}
	}
	k := mapping.NewLinkClasses(machine)
	bytes, stalls = k.Mean(bytes), k.Mean(stalls)
	for l := range n {
		o.Bytes += math.Abs(bytes[l]) / max(measured, leastRate)
		o.Stall += math.Abs(stalls[l]) / max(measured, leastRate)
	}
	o.Time = result.FullTime() * 1e-9 * m.Factor
}
