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

// MeasuredRun is what ran while counters were read.
type MeasuredRun struct {
	Machine    *topology.Topology
	Allocation *mapping.Allocation
	Program    *workload.Program
	Previous   mapping.Mapping // under which it ran
	Options    evalsim.Options // of simulations
	Routing    mapping.Routing
	Workers    int
}

// Others is traffic that stands for what others were measured to send.
type Others struct {
	// Jobs: variants, endless, on hosts that the job was not offered; drawn with different seeds
	Jobs  [][]evalsim.Job
	Name  string // what the traffic is made of
	Hosts int    // that send or receive
	// Windows: variant k is of interval k modulo this number; 0 = all are of the whole time
	Windows int
	Silent  int // of these intervals: others send nothing, and the job is alone in their variants

	// How far links between switches are from what was measured of them, when the job runs
	// beside the first variant under the mapping that ran: absolute differences over all
	// links, divided by the sum of their bytes or of the time in which they sent. Of several
	// intervals the mean over those in which others send.
	Bytes float64 // of bytes sent
	Stall float64 // of the time that they wait for credits
	Time  float64 // simulated over measured time of the job; 0 = not known
}

// Simulator is Simulator of a job among the others. Repeat i is beside variant i modulo
// their number, whatever other repeats are asked for.
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

// misfit is what the choice among several descriptions of others goes by. The real job
// also computes: that it takes longer than its messages do is no misfit.
func (o *Others) misfit() float64 {
	return o.Bytes + o.Stall + math.Log(max(1, o.Time))
}

// description is a way to make traffic of rates between leaves.
type description struct {
	name  string
	mixed bool
	bytes int64 // of a message
}

// FindOthers makes traffic between the hosts that the job was not offered of what was
// measured of them. nil where counters do not tell of others' hosts, or nothing comes near;
// the error is that of ctx. Of several intervals each has variants of its own (byWindows);
// where one of them is not found, all are of the whole time.
func (m *Measured) FindOthers(ctx context.Context, r *MeasuredRun) (*Others, error) {
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

// describe has several descriptions of others' traffic run beside the job under the mapping
// that ran, and takes the one that brings links nearest to what was measured of them: its
// first variant, drawn with a seed. nil where none comes near.
func (m *Measured) describe(ctx context.Context, r *MeasuredRun, x *foreignMatrix,
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
func (r *MeasuredRun) foreign(m *Measured) *foreignMatrix {
	links := r.Routing == mapping.MinimalRouting || r.Routing == mapping.StaticRouting
	return newForeignMatrix(r.Machine, r.Allocation.Hosts, m, links)
}

// compareRun runs the job under the mapping that ran beside the first variant, and compares
// links with a measurement; false where the job does not come to its end.
func (o *Others) compareRun(ctx context.Context, r *MeasuredRun, m *Measured) (bool, error) {
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
func (x *foreignMatrix) jobs(m *Measured, d description, seed uint64) []evalsim.Job {
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

// compare sets how far links, as means over those that are used alike, and the job's time
// are from what was measured.
func (o *Others) compare(machine *topology.Topology, m *Measured, result *evalsim.Result) {
	n := len(machine.Links)
	bytes, stalls := make([]float64, n), make([]float64, n)
	measured := 0.0
	for l := range n {
		if link := &machine.Links[l]; m.Told[l] && !machine.IsHost(link.From) && !machine.IsHost(link.To) {
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
