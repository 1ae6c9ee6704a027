package feedback

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// Evaluation is what the repeats of one mapping gave.
type Evaluation struct {
	// Results, by repeat, are those that the first job has seen (evalsim.FirstJob).
	Results []*evalsim.Result
	// turns is Settings.Turns.
	turns int
}

// Times are the job's times at the full volume in the repeats, in ns. Position i is the same repeat
// for all mappings.
func (e *Evaluation) Times() []float64 {
	times := make([]float64, len(e.Results))
	for i, r := range e.Results {
		times[i] = r.FullTime()
	}
	return times
}

// compared are the times by which mappings are compared, paired by position.
func (e *Evaluation) compared() []float64 { return turnMeans(e.Times(), e.turns) }

// turnMeans are the means of every `turn` times that follow each other. The result is the times
// themselves where they are fewer, or a turn is one.
func turnMeans(times []float64, turn int) []float64 {
	if turn < 2 || len(times) < turn {
		return times
	}
	var means []float64
	for ; len(times) >= turn; times = times[turn:] {
		means = append(means, stat.Mean(times[:turn], nil))
	}
	return means
}

// relativeError is that of the extrapolated times, beside their scatter; 0 at full volume.
func (e *Evaluation) relativeError() float64 {
	if len(e.Results) == 0 {
		return 0
	}
	return e.Results[0].RelativeError()
}

// Flows are the counts of every flow of the first job, summed over repeats.
func (e *Evaluation) Flows() []evalsim.FlowStats {
	var sum []evalsim.FlowStats
	for _, r := range e.Results {
		if len(r.Flows) == 0 {
			continue
		}
		if sum == nil {
			sum = make([]evalsim.FlowStats, len(r.Flows[0]))
		}
		for i, f := range r.Flows[0] {
			sum[i].Packets += f.Packets
			sum[i].Hops += f.Hops
			sum[i].CongestedHops += f.CongestedHops
		}
	}
	return sum
}

// Evaluate simulates a mapping in the repeats first..first+count-1 of the original traffic. One
// repeat number has the same random stream for every mapping. Calls overlap: the next mappings are
// simulated while one is evaluated. Flows follow the entries of Settings.Traffic.
type Evaluate func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error)

// Simulator is the Evaluate of a program on a machine: evalsim on `workers` cores, for all calls
// together. Background jobs share the network and stay where they are; only the program's own time
// and congestion count. The program is laid out at the first call. Flows follow the entries of
// Program.Traffic; where those of Settings.Traffic are others, use FlowsOf.
func Simulator(t *topology.Topology, a *mapping.Allocation, p *workload.Program, o evalsim.Options,
	workers int, background ...evalsim.Job) Evaluate {
	return simulatorIn(make(chan struct{}, max(1, workers)), t, a, p, o, background...)
}

// simulatorIn is Simulator where at most as many simulations run at a time as `running` has room
// for.
func simulatorIn(running chan struct{}, t *topology.Topology, a *mapping.Allocation, p *workload.Program,
	o evalsim.Options, background ...evalsim.Job) Evaluate {
	o.FlowCounts, o.OwnLinks = true, true
	jobs := append([]evalsim.Job{{Program: p}}, background...)
	hosts := make([][]int32, len(jobs))
	for i := range jobs {
		hosts[i] = jobs[i].Hosts
	}
	var program *evalsim.Simulation
	var laying sync.Mutex
	layOut := func(own []int32) (err error) {
		laying.Lock()
		defer laying.Unlock()
		if program == nil {
			jobs[0].Hosts = own
			program, err = evalsim.New(t, jobs, o)
		}
		return err
	}
	return func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error) {
		hosts := slices.Clone(hosts)
		hosts[0] = m.Hosts(a)
		if err := layOut(hosts[0]); err != nil {
			return nil, err
		}
		placed, err := program.Place(hosts...)
		if err != nil {
			return nil, err
		}
		return repeats(ctx, running, placed, first, count)
	}
}

// repeats are those of one mapping. Each begins as soon as there is room.
func repeats(ctx context.Context, running chan struct{}, placed *evalsim.Simulation,
	first, count int) (*Evaluation, error) {
	results := make([]*evalsim.Result, count)
	group, ctx := errgroup.WithContext(ctx)
	for i := range count {
		running <- struct{}{}
		group.Go(func() error {
			defer func() { <-running }()
			result, err := placed.Repeat(ctx, first+i, 1, 1, nil)
			if err == nil {
				results[i] = result[0]
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &Evaluation{Results: evalsim.FirstJob(results)}, nil
}

// FlowsOf gives evaluations whose flows follow the entries of one traffic flows that follow those
// of another. Recorded traffic has entries that no program sends, such as of a rank with itself;
// their flows stay empty. Volumes do not matter.
func FlowsOf(evaluate Evaluate, simulated, traffic *commgraph.Traffic) Evaluate {
	if slices.Equal(simulated.Offsets, traffic.Offsets) && slices.Equal(simulated.Destinations,
		traffic.Destinations) {
		return evaluate
	}
	from := make([]int32, len(traffic.Destinations))
	for r := range int32(traffic.Ranks()) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			from[i] = simulated.Find(r, traffic.Destinations[i])
		}
	}
	return func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error) {
		e, err := evaluate(ctx, m, first, count)
		if err != nil {
			return nil, err
		}
		for i, r := range e.Results {
			if len(r.Flows) == 0 {
				continue
			}
			flows := make([]evalsim.FlowStats, len(from))
			for k, at := range from {
				if at >= 0 {
					flows[k] = r.Flows[0][at]
				}
			}
			ordered := *r
			ordered.Flows = [][]evalsim.FlowStats{flows}
			e.Results[i] = &ordered
		}
		return e, nil
	}
}
