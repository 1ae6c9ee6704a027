package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remap/commgraph"
	"remap/evalsim"
	"remap/input"
	"remap/internal/nearest"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// job is what the options describe: a machine, the hosts given, and what the
// ranks say to each other.
type job struct {
	machine     *topology.Topology
	allocation  *mapping.Allocation
	traffic     *commgraph.Traffic // as recorded, or the pattern's, at full volume
	whole       *workload.Program  // the same in time, for bounds and phases; recorded: one message a pair
	program     *workload.Program  // what is simulated of it, program.VolumeScale
	graph       *commgraph.Graph   // traffic folded
	grid        []int              // process grid; nil = unknown
	previous    mapping.Mapping    // nil = identity
	objective   mapping.Objective  // --objective
	fixed       []int32            // --fixed: slot a rank must keep, -1 = free; nil = all free
	maxMoves    int                // --max-moves
	recorded    bool               // the traffic is recorded, not a pattern
	name        string             // the pattern or the file of the traffic
	background  []background       // other jobs in the network
	packetBytes int                // of the largest packet
	maxPackets  int64              // a rank
	measured    *measurement       // --measured, once the loop has read it; nil = none

	routing     mapping.Routing        // --routing, for loads of links and bounds
	coordinates *commgraph.Coordinates // where ranks lie; nil = unknown
	phases      []*commgraph.Traffic   // of the traffic (--phases apart); nil = one, or not to be told apart
}

// loadSimulated is load for commands that simulate.
func (p *program) loadSimulated() (*job, error) {
	j, err := p.load()
	if err == nil && j.program.Warning != "" {
		p.hint("--max-packets: %s", j.program.Warning)
	}
	if err == nil {
		p.sayUseless(j)
	}
	return j, err
}

// sayUseless tells of options that change nothing, as no job does what they
// are about.
func (p *program) sayUseless(j *job) {
	some := func(is func(workload.Kind) bool) bool {
		programs := []*workload.Program{j.program}
		for _, b := range j.background {
			programs = append(programs, b.program)
		}
		return slices.ContainsFunc(programs, func(program *workload.Program) bool {
			return slices.ContainsFunc(program.Ops, func(op workload.Op) bool { return is(op.Kind) })
		})
	}
	if p.eagerBytes > 0 && !some(workload.Kind.IsReceive) {
		p.hint("--eager-bytes changes nothing: no rank receives; collective operations do, and stencils with wait=true")
	}
	if p.computeNoise > 0 && !some(func(k workload.Kind) bool { return k == workload.Compute }) {
		p.hint("--compute-noise changes nothing: no rank computes; compute-ns=N of a pattern makes it")
	}
}

// load turns the options into a job and tests that its parts fit together.
func (p *program) load() (*job, error) {
	if p.topology == "" {
		return nil, usage("for example --topology tapered, or an ibnetdiscover file", "--topology is missing")
	}
	j := &job{recorded: p.isRecorded(), name: p.pattern, packetBytes: p.packetBytes, maxPackets: p.maxPackets}
	if j.recorded {
		j.name = p.graphName()
	}
	o, err := p.simulation()
	if err != nil {
		return nil, err
	}
	j.routing = mapping.RoutingNamed(o.Routing.String())
	if j.machine, err = p.openTopology(); err != nil {
		return nil, err
	}
	if (p.routing == "valiant" || p.routing == "ugal") && len(j.machine.Routes.Intermediate) == 0 {
		return nil, usage("the default is --routing adaptive", "--routing %s: the network %s has no ways but the shortest; it is for dragonfly and hyperx", p.routing, j.machine.Name)
	}
	if j.background, err = p.parseBackgrounds(); err != nil {
		return nil, err
	}
	taken := make(occupancy, j.machine.Hosts())
	if err := taken.claimNamed(j.machine, j.background); err != nil {
		return nil, err
	}
	var file string
	if j.allocation, file, err = p.openHosts(j.machine, taken); err != nil {
		return nil, inOption("hosts", err)
	}
	if err := p.loadTraffic(j); err != nil {
		return nil, err
	}
	if err := clipSlots(j.allocation, j.traffic.Ranks(), file); err != nil {
		return nil, inOption("hosts", err)
	}
	if err := p.fits(j); err != nil {
		return nil, err
	}
	if err := p.place(j, taken); err != nil {
		return nil, err
	}
	p.scaleBackground(j)
	if p.previous != "" {
		if j.previous, err = p.openMapping(p.previous, j); err != nil {
			return nil, inOption("previous", err)
		}
	}
	if err := p.loadGoal(j); err != nil {
		return nil, err
	}
	p.clock.lap("load")
	return j, nil
}

// loadGoal reads what the mapping is for, and what must stay.
func (p *program) loadGoal(j *job) (err error) {
	if p.objective != "" { // commands that do not map have no such option
		if j.objective, err = mapping.ParseObjective(p.objective); err != nil {
			return inOption("objective", err)
		}
	}
	if j.maxMoves = p.maxMoves; p.fixed != "" {
		if j.fixed, err = p.openFixed(j); err != nil {
			return inOption("fixed", err)
		}
	}
	return nil
}

// loadTraffic reads --pattern or --graph, of which there must be one.
func (p *program) loadTraffic(j *job) error {
	const forms = "--pattern SPEC for synthetic traffic, --graph FILE for recorded traffic"
	switch {
	case p.pattern != "" && p.graph != "":
		return usage(forms, "--pattern and --graph exclude each other")
	case p.pattern == "" && !p.isRecorded():
		return usage(forms, "--pattern or --graph is missing")
	case p.graph == "" && p.messages != "":
		return usage(forms, "--messages goes with --graph")
	}
	if err := p.checkPhases(); err != nil {
		return err
	}
	load := p.loadPattern
	if p.isRecorded() {
		load = p.loadGraph
	}
	if err := load(j); err != nil {
		return err
	}
	j.graph = j.traffic.Graph()
	if p.grid != "" {
		extents, err := parseGrid(p.grid, j.traffic.Ranks())
		if err != nil {
			return err
		}
		j.grid = extents
	}
	var err error
	j.coordinates, err = p.openCoordinates(j.traffic.Ranks())
	return err
}

func (p *program) loadPattern(j *job) error {
	program, err := workload.ParsePattern(p.pattern)
	if err != nil {
		return inOption("pattern", err)
	}
	j.grid = program.Grid
	if j.traffic, err = program.Traffic(); err != nil {
		return inOption("pattern", err)
	}
	if err := p.loadPhases(j, program); err != nil {
		return err
	}
	j.whole = program
	limit := p.shareOfPackets(program.Packets(p.packetBytes), program.Ranks(), j.background)
	var warning string
	if j.program, warning = workload.Scale(program, p.packetBytes, limit); warning != "" {
		j.program.Warning = warning
	}
	return nil
}

func (p *program) loadGraph(j *job) error {
	var err error
	if j.traffic, err = p.openGraph(); err != nil {
		return err
	}
	if j.traffic.Ranks() == 0 {
		return fail("is this the right file?", "%s: the graph has no ranks", p.graphName())
	}
	options := workload.RecordedOptions{MessageBytes: p.messageBytes, PacketBytes: p.packetBytes}
	options.MaxPackets = p.shareOfPackets(workload.RecordedPackets(j.traffic, options), j.traffic.Ranks(), j.background)
	if j.program, err = workload.Recorded(j.traffic, options); err != nil {
		return inOption("graph", err)
	}
	if j.whole, err = workload.OneMessageAPair(j.traffic); err != nil {
		return inOption("graph", err)
	}
	if pairs := int64(len(j.traffic.Bytes)); pairs > 0 && j.traffic.TotalBytes() < pairs*int64(p.packetBytes) {
		p.hint("%s holds less than one packet of %d bytes a pair: if its weights are not bytes, --unit-bytes N says what one of them stands for", p.graphName(), p.packetBytes)
	}
	return nil
}

// parseGrid reads AxBxC with as many cells as ranks.
func parseGrid(text string, ranks int) ([]int, error) {
	const hint = "extents joined by x, first dimension fastest, for example 64x72"
	var extents []int
	cells := 1
	for _, part := range strings.Split(text, "x") {
		extent, err := strconv.Atoi(part)
		if err != nil || extent < 1 || extent > commgraph.MaxRanks {
			return nil, usage(hint, "--grid: %q is not an extent", part)
		}
		if cells *= extent; cells > commgraph.MaxRanks {
			return nil, usage(hint, "--grid: %s has more than %d cells", text, commgraph.MaxRanks)
		}
		extents = append(extents, extent)
	}
	if cells != ranks {
		return nil, usage(hint, "--grid: %s has %d cells for %d ranks", text, cells, ranks)
	}
	return extents, nil
}

// fits tests that every rank finds a slot, and says what would help.
func (p *program) fits(j *job) error {
	err := j.problem(p.seed).Check()
	var few *mapping.TooFewSlots
	if !errors.As(err, &few) {
		return err
	}
	perHost := (few.Ranks + few.Hosts - 1) / max(1, few.Hosts)
	hint := fmt.Sprintf("%d slots a host (--ranks-per-host %d)", perHost, perHost)
	if spare := j.machine.Hosts() - few.Hosts; spare > 0 {
		per := max(1, p.ranksPerHost)
		if needed := (few.Ranks + per - 1) / per; needed <= j.machine.Hosts() {
			hint = fmt.Sprintf("%d hosts of %d slots would do, or %s", needed, per, hint)
		}
	}
	return fail(hint, "%w", err)
}

// problem is the job as strategies see it.
func (j *job) problem(seed uint64) *mapping.Problem {
	return &mapping.Problem{Graph: j.graph, Traffic: j.traffic, Phases: j.phases, Grid: j.grid, Coordinates: j.coordinates, Machine: j.machine, Allocation: j.allocation,
		Start: j.previous, Fixed: j.fixed, MaxMoves: j.maxMoves, Objective: j.objective, Routing: j.routing, Seed: seed}
}

// costs are the static costs of a mapping, under a strategy's name.
func (j *job) costs(name string, m mapping.Mapping) (mapping.Costs, error) {
	c, err := j.routing.Evaluate(j.machine, j.allocation, j.traffic, m, j.previous)
	c.Strategy = name
	return c, err
}

// simulation is the simulator's options.
func (p *program) simulation() (evalsim.Options, error) {
	o := evalsim.DefaultOptions()
	o.PacketBytes, o.BufferBytes = p.packetBytes, p.bufferBytes
	o.SwitchLatency = time.Duration(p.switchNS)
	o.Steps, o.Seed = p.steps, p.seed
	o.EagerBytes, o.MaxInFlight = p.eagerBytes, p.inFlight
	o.ComputeNoise, o.StartJitter = p.computeNoise, time.Duration(p.startJitter)
	o.MemoryBytesPerSecond = p.memoryGbps * 1e9 / 8
	var err error
	if o.Sampling, err = p.variant(); err != nil {
		return o, err
	}
	if o.Switching, err = evalsim.ParseSwitching(p.switching); err != nil {
		return o, inOption("switching", err)
	}
	if p.credits != "" { // map and evaluate have neither option
		if o.Credits, err = evalsim.ParseCredits(p.credits); err != nil {
			return o, inOption("credits", err)
		}
	}
	if p.routing != "" {
		if o.Routing, err = evalsim.ParseRouting(p.routing); err != nil {
			return o, inOption("routing", err)
		}
	}
	if o.Congestion, err = p.congestionRule(); err != nil {
		return o, err
	}
	if err := o.Validate(); err != nil {
		return o, usage("the defaults are --packet-bytes 4096 --buffer-bytes 65536 --switch-ns 100", "simulation: %w", err)
	}
	return o, nil
}

// congestionRule is --congestion and --congestion-at.
func (p *program) congestionRule() (evalsim.Congestion, error) {
	if p.congestion == "" {
		return evalsim.Congestion{}, nil
	}
	usual := evalsim.Congestion{}.String()
	if _, err := evalsim.ParseCongestion(usual, p.congestionAt); err != nil {
		return evalsim.Congestion{}, inOption("congestion-at", err)
	}
	c, err := evalsim.ParseCongestion(p.congestion, p.congestionAt)
	if err != nil {
		return c, usage("for example queue-above:16384, bytes waiting at the port; the default is "+usual, "--congestion: %w", err)
	}
	return c, nil
}

// unknownHost is the error of a host that the network does not have.
func unknownHost(machine *topology.Topology, name, file string, line int) error {
	hint := fmt.Sprintf("the network has %d hosts, from %s to %s", machine.Hosts(),
		machine.HostNames[0], machine.HostNames[machine.Hosts()-1])
	if near := nearest.Name(name, machine.HostNames); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return &input.Error{File: file, Line: line, Hint: hint,
		Reason: fmt.Sprintf("unknown host %q: it is not in the network %s", name, machine.Name)}
}
