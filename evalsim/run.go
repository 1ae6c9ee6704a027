package evalsim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/topology"
	"remap/workload"
)

// Simulation is a topology and its jobs, prepared once to be run many times.
type Simulation struct {
	network *network
	jobs    []jobState
	options Options
	pool    *sync.Pool  // *simulator, shared by all placements
	smaller *Simulation // the same at smaller volumes; nil when nothing was scaled
}

// New checks the jobs and prepares their simulation. O(links + operations).
func New(t *topology.Topology, jobs []Job, o Options) (*Simulation, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n, err := layOut(t, &o)
	if err != nil {
		return nil, err
	}
	s := &Simulation{network: n, options: o}
	ranks, flows := 0, 0
	for _, j := range jobs {
		made, err := prepare(j, t, &o, int32(ranks), int32(flows))
		if err != nil {
			return nil, err
		}
		if err := n.checkProgram(j.Program, &o); err != nil {
			return nil, err
		}
		ranks += j.Program.Ranks()
		flows += made.flows
		s.jobs = append(s.jobs, made)
	}
	if len(jobs) > 0 && !slices.ContainsFunc(jobs, func(j Job) bool { return !j.Endless }) {
		return nil, errors.New("all jobs are endless: nothing says when to stop")
	}
	if _, err := newSlicing(n, s.jobs, &o); err != nil {
		return nil, err
	}
	s.pool = &sync.Pool{New: func() any { return newSimulator(s.network, s.jobs, &s.options) }}
	s.smaller, err = smaller(t, jobs, o)
	return s, err
}

// Place is a simulation of the same programs on other hosts: one list of hosts a job. It
// prepares nothing again and leaves the receiver as it is.
func (s *Simulation) Place(hosts ...[]int32) (*Simulation, error) {
	if len(hosts) != len(s.jobs) {
		return nil, fmt.Errorf("hosts for %d of %d jobs", len(hosts), len(s.jobs))
	}
	placed := *s
	placed.jobs = slices.Clone(s.jobs)
	for i := range placed.jobs {
		placed.jobs[i].Hosts = hosts[i]
		if err := placed.jobs[i].checkHosts(s.network.topology); err != nil {
			return nil, err
		}
	}
	if s.smaller != nil {
		var err error
		if placed.smaller, err = s.smaller.Place(hosts...); err != nil {
			return nil, err
		}
	}
	return &placed, nil
}

// checkHosts tests that every rank sits on a host of the topology.
func (j *Job) checkHosts(t *topology.Topology) error {
	if len(j.Hosts) != j.Program.Ranks() {
		return fmt.Errorf("%d hosts for %d ranks", len(j.Hosts), j.Program.Ranks())
	}
	for r, h := range j.Hosts {
		if h < 0 || int(h) >= t.Hosts() {
			return fmt.Errorf("rank %d sits on host %d of %d", r, h, t.Hosts())
		}
	}
	return nil
}

// checkEndless tests that a program that begins again has no requests and
// receives, which are numbered and matched once.
func (j *Job) checkEndless() error {
	if !j.Endless {
		return nil
	}
	for r := range int32(j.Program.Ranks()) {
		for i, op := range j.Program.RankOps(r) {
			if op.Kind != workload.Send && op.Kind != workload.Idle && op.Kind != workload.Compute {
				return fmt.Errorf("an endless job only sends, idles and computes: rank %d, operation %d is a %v",
					r, i, op.Kind)
			}
		}
	}
	return nil
}

func prepare(j Job, t *topology.Topology, o *Options, firstRank, firstFlow int32) (jobState, error) {
	if err := j.Program.Check(); err != nil {
		return jobState{}, fmt.Errorf("program: %w", err)
	}
	if err := j.checkHosts(t); err != nil {
		return jobState{}, err
	}
	if err := j.checkEndless(); err != nil {
		return jobState{}, err
	}
	traffic, err := j.Program.Traffic()
	if err != nil {
		return jobState{}, fmt.Errorf("program: %w", err)
	}
	made := jobState{Job: j, firstRank: firstRank, firstFlow: firstFlow, flows: len(traffic.Destinations),
		needs: needsOf(j.Program)}
	made.opFlow = opFlows(j.Program, traffic, firstFlow)
	made.volumeError = volumeError(j.Program, o.PacketBytes)
	if made.steps = o.Steps; j.Program.Smaller != nil {
		made.steps = max(1, o.Steps) // see toFullVolume
	}
	made.steadySteps = steadySteps(j.Program, o)
	if made.categories, err = newCategories(j.Program, o); err != nil {
		return jobState{}, err
	}
	if made.receives && o.EagerBytes > 0 {
		// Messages that were made smaller keep to the protocol of the whole ones.
		made.eagerBytes = max(1, int64(math.Round(float64(o.EagerBytes)*sizeScaleOf(j.Program))))
	}
	return made, nil
}

// scaleOf is a program's volume scale; one that has none was never scaled.
func scaleOf(p *workload.Program) float64 {
	if p.VolumeScale > 0 {
		return p.VolumeScale
	}
	return 1
}

func opFlows(p *workload.Program, traffic *commgraph.Traffic, first int32) []int32 {
	flow := make([]int32, len(p.Ops))
	for r := range int32(p.Ranks()) {
		for i := p.Offsets[r]; i < p.Offsets[r+1]; i++ {
			switch op := &p.Ops[i]; {
			case op.Kind.IsSend():
				flow[i] = first + traffic.Find(r, op.Peer)
			case op.Kind.IsReceive() && op.Peer != workload.AnySource:
				if flow[i] = traffic.Find(op.Peer, r); flow[i] >= 0 {
					flow[i] += first
				}
			}
		}
	}
	return flow
}

// Run plays the simulation once with the stream of a seed.
func (s *Simulation) Run(ctx context.Context, seed uint64) (*Result, error) {
	return s.play(ctx, seed, nil)
}

// play is Run, and hands deliveries to take unless it is nil.
func (s *Simulation) play(ctx context.Context, seed uint64, take func([]Delivery)) (*Result, error) {
	result, err := s.once(ctx, seed, take)
	if err != nil {
		return nil, err
	}
	var less *Result
	if s.smaller != nil {
		if less, err = s.smaller.once(ctx, seed, nil); err != nil {
			return nil, err
		}
	}
	s.toFullVolume(result, less)
	return result, nil
}

// once plays the programs as they are.
func (s *Simulation) once(ctx context.Context, seed uint64, take func([]Delivery)) (*Result, error) {
	sim := s.pool.Get().(*simulator)
	defer s.pool.Put(sim)
	sim.jobs, sim.take = s.jobs, take
	sim.reset(seed)
	if err := sim.run(ctx); err != nil {
		return nil, err
	}
	if err := sim.outcome(); err != nil {
		return nil, err
	}
	if take != nil && len(sim.deliveries) > 0 {
		sim.handOver()
	}
	return sim.result(), nil
}

// Run is New and one run with options' seed.
func Run(ctx context.Context, t *topology.Topology, jobs []Job, o Options) (*Result, error) {
	s, err := New(t, jobs, o)
	if err != nil {
		return nil, err
	}
	return s.Run(ctx, o.Seed)
}

// RepeatSeed is the seed of repeat i. It is the same for every mapping, so repeats of two
// mappings pair.
func RepeatSeed(seed uint64, i int) uint64 {
	return seed + uint64(i)*0x9e3779b97f4a7c15
}

// Repeat runs the repeats first..first+count-1 on `workers` goroutines. Results are in order
// and the same for any number of workers. progress, if not nil, is called after every run,
// from one goroutine at a time.
func (s *Simulation) Repeat(ctx context.Context, first, count, workers int,
	progress func()) ([]*Result, error) {
	return repeat(ctx, count, workers, progress, func(ctx context.Context, i int) (*Result, error) {
		return s.Run(ctx, RepeatSeed(s.options.Seed, first+i))
	})
}

// repeat plays runs 0..count-1, begun in this order, over workers goroutines.
func repeat(ctx context.Context, count, workers int, progress func(),
	run func(ctx context.Context, i int) (*Result, error)) ([]*Result, error) {
	results := make([]*Result, count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, workers))
	var mutex sync.Mutex
	for i := range count {
		group.Go(func() error {
			result, err := run(ctx, i)
			if err != nil {
				return err
			}
			results[i] = result
			if progress != nil {
				mutex.Lock()
				defer mutex.Unlock()
				progress()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

// Repeat is New and repeats 0..repeats-1.
func Repeat(ctx context.Context, t *topology.Topology, jobs []Job, o Options, repeats, workers int,
	progress func()) ([]*Result, error) {
	s, err := New(t, jobs, o)
	if err != nil {
		return nil, err
	}
	return s.Repeat(ctx, 0, repeats, workers, progress)
}

// result copies what a run has counted.
func (s *simulator) result() *Result {
	r := &Result{Events: s.events, Credits: s.timedCredits(), Packets: s.received,
		Links: make([]LinkStats, s.links), VolumeScale: 1, Warnings: s.hostWarnings()}
	for _, e := range s.elapsed {
		r.Elapsed = append(r.Elapsed, float64(e)/1000)
		r.Makespan = max(r.Makespan, float64(e)/1000)
	}
	for i := range s.jobs {
		time, drift, steps := s.stepTime(i)
		r.StepTime, r.Drift, r.Steps = append(r.StepTime, time), append(r.Drift, drift), append(r.Steps, steps)
	}
	for i := range r.Links {
		n := s.countsAt(int32(i), s.end())
		r.Links[i] = s.stats(int32(i), &n, max(r.Makespan*1000, 1))
		r.PacketHops += r.Links[i].Packets
		r.Congested += r.Links[i].Congested
		if int32(i) >= s.hostLinks {
			r.PortHops += r.Links[i].Packets
		}
	}
	if s.stopped { // they have been found congested or not, but have not left
		r.PortHops += s.queuedPackets()
	}
	for i := range s.jobs {
		j := &s.jobs[i]
		if s.options.FlowCounts {
			r.Flows = append(r.Flows, append([]FlowStats(nil), s.flows[j.firstFlow:int(j.firstFlow)+j.flows]...))
		}
	}
	r.Own = slices.Clone(s.own)
	s.jobResults(r)
	if s.options.parts() {
		s.takeParts(r)
	}
	r.Latencies, s.latencies = s.latencies, nil
	if len(s.jobs) > 0 {
		r.VolumeScale = scaleOf(s.jobs[0].Program)
	}
	return r
}
