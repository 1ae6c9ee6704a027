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
	Jobs  [variants][]evalsim.Job // endless, on hosts that the job was not offered; drawn with different seeds
	Name  string                  // what the traffic is made of
	Hosts int                     // that send or receive

	// How far links between switches are from what was measured of them, when the job runs
	// beside the first variant under the mapping that ran: absolute differences over all
	// links, divided by the sum of their bytes or of the time in which they sent.
	Bytes float64 // of bytes sent
	Stall float64 // of the time that they wait for credits
	Time  float64 // simulated over measured time of the job; 0 = not known
}

// Simulator is Simulator of a job among the others. Repeat i is beside variant i modulo
// their number, whatever other repeats are asked for.
func (o *Others) Simulator(r *MeasuredRun, options evalsim.Options) Evaluate {
	var simulators [variants]Evaluate
	running := make(chan struct{}, max(1, r.Workers))
	for k := range simulators {
		simulators[k] = simulatorIn(running, r.Machine, r.Allocation, r.Program, options, o.Jobs[k]...)
	}
	return func(ctx context.Context, x mapping.Mapping, first, count int) (*Evaluation, error) {
		results := make([]*evalsim.Result, count)
		group, ctx := errgroup.WithContext(ctx)
		for k, simulate := range simulators {
			begin := (first - k + variants - 1) / variants // begin*variants+k is the first repeat of variant k
			end := (first + count - k + variants - 1) / variants
			if begin == end {
				continue
			}
			group.Go(func() error {
				e, err := simulate(ctx, x, begin, end-begin)
				for i := 0; err == nil && i < len(e.Results); i++ {
					results[(begin+i)*variants+k-first] = e.Results[i]
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
// measured of them. Several descriptions of it run beside the job under the mapping that
// ran; the one is taken that brings links nearest to what was measured of them. nil where
// counters do not tell of others' hosts, or nothing comes near; the error is that of ctx.
func (m *Measured) FindOthers(ctx context.Context, r *MeasuredRun) (*Others, error) {
	links := r.Routing == mapping.MinimalRouting || r.Routing == mapping.StaticRouting
	x := newForeignMatrix(r.Machine, r.Allocation.Hosts, m, links)
	if x == nil {
		return nil, nil
	}
	var best *Others
	var chosen description
	for _, d := range descriptions {
		o := &Others{Name: d.name, Hosts: len(x.hosts)}
		o.Jobs[0] = x.jobs(m, d, 0)
		own := evalsim.Job{Program: r.Program, Hosts: r.Previous.Hosts(r.Allocation)}
		jobs := append([]evalsim.Job{own}, o.Jobs[0]...)
		options := r.Options
		options.Seed += fitStream
		results, err := evalsim.Repeat(ctx, r.Machine, jobs, options, 1, r.Workers, nil)
		var starved *evalsim.StarvedError
		if errors.As(err, &starved) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o.compare(r.Machine, m, evalsim.FirstJob(results)[0])
		if o.Bytes <= mostOff && (best == nil || o.misfit() < best.misfit()) {
			best, chosen = o, d
		}
	}
	if best != nil {
		for seed := 1; seed < variants; seed++ {
			best.Jobs[seed] = x.jobs(m, chosen, uint64(seed))
		}
	}
	return best, nil
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
