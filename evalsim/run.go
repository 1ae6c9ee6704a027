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
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// Job is a program and where its ranks sit.
type Job struct {
	Program *workload.Program
	Hosts   []int32 // length ranks: topology host of every rank

	// Endless has every rank begin its program again when it is at its end: traffic
	// that is always there. The simulation stops when all other jobs are done; what
	// is then under way never arrives. It ends with a *StarvedError if they make no
	// progress. Such a program only sends, blocking, idles
	// and computes.
	Endless bool
}

// FlowStats is what the receiver of one ordered pair of ranks has seen.
type FlowStats struct {
	Packets       int64
	Hops          int64 // switch output ports crossed, summed over packets
	CongestedHops int64 // those that were congested
}

// JobStats are the exact counts of one job's packets.
type JobStats struct {
	Packets   int64 // delivered
	PortHops  int64 // switch output ports they crossed; of a packet at most 255
	Congested int64 // those that were congested; likewise
}

// LinkStats are the exact counts of one directed link, over the makespan or
// over a time slice. A packet counts, with its stall, where it begins to be
// sent.
type LinkStats struct {
	Bytes     int64
	Packets   int64
	Congested int64   // packets that found its port congested; 0 on injection links
	Busy      float64 // fraction of the time it was sending
	Stalled   float64 // fraction of the time it was free and had a packet ready, but no credit: a hundredth of the percent time stalled P_Ts = 100 T_is/T_i of credit stalls, which Monet measures (Jha et al. 2020, definitions 1 and 3)
	QueueMean float64 // bytes waiting in the port's queue, over all its virtual channels, averaged over the time; on injection links bytes of messages that have not left
	QueueMax  int64   // most bytes waiting there at a time; 0 on injection links
}

// OwnLink is the exact count of one job's packets at a switch's output port, as
// they join its queue (with AtDeparture: as they leave); 0 on injection links.
type OwnLink struct {
	Bytes     int64
	Packets   int64
	Congested int64 // packets that found the port congested
}

// Result of one run.
type Result struct {
	Makespan    float64           // ns: the latest of the jobs
	StepTime    []float64         // length jobs, ns: of a step (steps.go); Elapsed where one step was asked for
	Steps       []int             // length jobs: complete steps; 0 of endless jobs
	Drift       []float64         // length jobs: by how much the later half of the steps that count takes longer than the earlier half, of 1; 0 unless steps went on until they were steady
	Elapsed     []float64         // length jobs, ns, of all steps: the latest of the arrivals of the job's messages (last byte at the receiving host) and of the ends of its Compute, Receive, Wait and WaitAll operations; Idle at a program's end does not count
	Jobs        []JobStats        // length jobs
	Links       []LinkStats       // length links
	Own         []OwnLink         // length links, the first job's part of Links; nil without Options.OwnLinks
	Flows       [][]FlowStats     // by job, in the order of the entries of Program.Traffic(); nil without FlowCounts
	Samples     []*sampling.Table // by job, of all slices, phases, tags and call sites; nil without sampling
	Parts       []Part            // by slice, then job, then phase, tag and call site of those that have sends; nil unless Options.SliceLength, ByPhase, ByTag or ByCallSite is set
	Slices      [][]LinkStats     // by slice, then link; nil without Options.SliceLength
	Latencies   *Latencies        // nil unless Options.Latencies is set
	Packets     int64             // delivered, of all jobs
	PacketHops  int64             // links crossed, the hosts' own two included
	PortHops    int64             // switch output ports crossed
	Congested   int64             // those that were congested
	Events      int64
	Credits     Credits // which were timed, CreditsExact or CreditsNewest
	VolumeScale float64 // of the first job's program: the counts above are of what was simulated

	// Full is Elapsed at the full volume, Elapsed itself where nothing was scaled
	// (fullvolume.go). FullMakespan is the latest of them, FullError the relative error
	// of each beside the scatter of repeats, 0 where nothing was scaled.
	Full         []float64 // length jobs, ns
	FullMakespan float64   // ns
	FullError    []float64 // length jobs
	// Small is Elapsed at the smaller volume (Program.Smaller); nil where nothing was scaled.
	Small []float64 // length jobs, ns

	Warnings []string // what did not stop the run but should be told, such as messages that no receive took; usually nil
}

// job is a Job made ready: every operation knows its flow.
type job struct {
	Job
	firstRank  int32
	firstFlow  int32
	flows      int
	opFlow     []int32 // length operations of the program: index into simulator.flows; receives: -1 = its source never sends to this rank
	eagerBytes int64   // longer messages ask the receiver first, at this program's sizes; 0 = none does

	volumeError float64 // of a time told for the full volume
	steps       int     // to be played; 0 = until they are steady
	steadySteps int     // least, then
	needs
	categories
}

// Simulation is a topology and jobs laid out once, to be run many times.
type Simulation struct {
	network *network
	jobs    []job
	options Options
	pool    *sync.Pool  // *simulator, shared by all placements
	smaller *Simulation // the same at smaller volumes; nil when nothing was scaled
}

// New checks and lays out. Costs O(links + operations).
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

// Place is the same programs on other hosts, one slice a job, without laying
// anything out again. The receiver stays as it is.
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
				return fmt.Errorf("an endless job only sends, idles and computes: rank %d, operation %d is a %v", r, i, op.Kind)
			}
		}
	}
	return nil
}

func prepare(j Job, t *topology.Topology, o *Options, firstRank, firstFlow int32) (job, error) {
	if err := j.Program.Check(); err != nil {
		return job{}, fmt.Errorf("program: %w", err)
	}
	if err := j.checkHosts(t); err != nil {
		return job{}, err
	}
	if err := j.checkEndless(); err != nil {
		return job{}, err
	}
	traffic, err := j.Program.Traffic()
	if err != nil {
		return job{}, fmt.Errorf("program: %w", err)
	}
	made := job{Job: j, firstRank: firstRank, firstFlow: firstFlow, flows: len(traffic.Destinations), needs: needsOf(j.Program)}
	made.opFlow = opFlows(j.Program, traffic, firstFlow)
	made.volumeError = volumeError(j.Program, o.PacketBytes)
	if made.steps = o.Steps; j.Program.Smaller != nil {
		made.steps = max(1, o.Steps) // see toFullVolume
	}
	made.steadySteps = steadySteps(j.Program, o)
	if made.categories, err = newCategories(j.Program, o); err != nil {
		return job{}, err
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

// RepeatSeed is the stream of repeat i: the same for every mapping, so that
// repeats pair.
func RepeatSeed(seed uint64, i int) uint64 {
	return seed + uint64(i)*0x9e3779b97f4a7c15
}

// Repeat plays repeats first..first+count-1 over workers goroutines. Results
// are in order and the same for any number of workers. progress, if not nil,
// is called after every run, from one goroutine at a time.
func (s *Simulation) Repeat(ctx context.Context, first, count, workers int, progress func()) ([]*Result, error) {
	return repeat(ctx, count, workers, progress, func(ctx context.Context, i int) (*Result, error) {
		return s.Run(ctx, RepeatSeed(s.options.Seed, first+i))
	})
}

// repeat plays runs 0..count-1, begun in this order, over workers goroutines.
func repeat(ctx context.Context, count, workers int, progress func(), run func(ctx context.Context, i int) (*Result, error)) ([]*Result, error) {
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
func Repeat(ctx context.Context, t *topology.Topology, jobs []Job, o Options, repeats, workers int, progress func()) ([]*Result, error) {
	s, err := New(t, jobs, o)
	if err != nil {
		return nil, err
	}
	return s.Repeat(ctx, 0, repeats, workers, progress)
}

// result copies what a run has counted.
func (s *simulator) result() *Result {
	r := &Result{Events: s.events, Credits: s.timedCredits(), Packets: s.received, Links: make([]LinkStats, s.links),
		VolumeScale: 1, Warnings: s.hostWarnings()}
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
