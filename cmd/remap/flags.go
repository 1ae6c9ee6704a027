package main

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"remap/commgraph"
	"remap/evalsim"
	"remap/feedback"
	"remap/job"
	"remap/mapping"
	"remap/workload"
)

// settings are the values of all options. Every option is declared once, in
// one of the groups below, with its default, its help and its place here or in job.Options;
// commands pick groups.
type settings struct {
	job.Options
	// fail, slow and background become those of Options (program.load).
	fail, slow, background cli.StringSlice
	alone                  bool
	scenario               string

	strategy   string
	strategies string
	chosen     bool // --strategies is the user's, not the default
	mapping    string
	migration  int64 // --migration-bytes

	repeats       int
	repeatsSet    bool // by the command line or a scenario
	congestionSet bool // --congestion or --congestion-at, by the command line or a scenario

	links       string
	linksFormat string
	view        string
	slices      int
	byPhase     bool
	byTag       bool
	byCallSite  bool
	samples     string
	latencies   string

	rounds            int
	gain              float64
	feedback          string
	budget            time.Duration
	control           bool
	validationRepeats int
	simulations       int
	state             string

	checksModel bool // --check-model

	measuredFiles   cli.StringSlice
	measuredView    string
	measuredSeconds float64
	measuredColumns string
	xmitWaitTick    int

	bind      string
	hostCores string

	// Of verify and convert.
	plan          string
	mappingFormat string
	run           bool
	launcher      string
	timeout       time.Duration

	bed bedOptions

	plotted plotOptions

	output, page string // page: --report
	format       string
	asked        bool // --format is the user's, not the default
	force        bool
	json         bool
	timing       bool
	quiet        bool
	progress     string
	workers      int
}

func (s *settings) machineFlags() []cli.Flag {
	return append(s.networkFlags(), s.hostFlags("every host that no --background names")...)
}

func (s *settings) networkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "topology", Destination: &s.Topology,
			Usage: "the network: a `SPEC` such as tapered or torus:8x8x8, or a file (ibnetdiscover)"},
		&cli.StringSliceFlag{Name: "fail", Destination: &s.fail,
			Usage: "a failed cable: a `LINK` such as leaf0:pod0-agg1, 117 (as in a links file), " +
				"leaf0:pod0-agg1/2 (the third between them), or a switch; may be repeated"},
		&cli.StringSliceFlag{Name: "slow", Destination: &s.slow,
			Usage: "a slowed cable: `LINK=FRACTION` of the rate that is left, such as leaf0:pod0-agg1=0.25; may " +
				"be repeated"},
	}
}

// hostFlags name the job's hosts; without them it has others.
func (s *settings) hostFlags(others string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hosts", Destination: &s.Hosts,
			Usage: "hosts of the job: a `LIST` such as node[0-7,9] or node0:4, or a file of them " +
				"(default: " + others + ")"},
		&cli.IntFlag{Name: "ranks-per-host", Destination: &s.RanksPerHost, Value: 1,
			Usage: "`N` slots on each host"},
	}
}

// backgroundFlags are taken by all commands that take a job: which hosts other
// jobs have decides where the job may go.
func (s *settings) backgroundFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "background", Destination: &s.background,
			Usage: "another job in the network, a pattern with its hosts: a `SPEC` such as " +
				"uniform:100,rounds=3@node[8-107], ranks in that order (default: hosts that no job names); " +
				"may be repeated"},
	}
}

func (s *settings) aloneFlag() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "alone", DisableDefaultText: true, Destination: &s.alone,
			Usage: "with --background: simulate every job by itself too, and tell how much slower they are " +
				"together"},
	}
}

func (s *settings) trafficFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "pattern", Destination: &s.Pattern,
			Usage: "synthetic traffic: a `SPEC` such as stencil2d:64x72"},
		&cli.StringFlag{Name: "graph", Destination: &s.Graph,
			Usage: "recorded traffic: a `FILE`, or a folder of Open MPI's profiles"},
		&cli.StringFlag{Name: "graph-format", Destination: &s.GraphFormat, Usage: "`FORMAT` of --graph, one of " +
			strings.Join(commgraph.Formats(), ", ") + " (default: by content)"},
		&cli.StringFlag{Name: "messages", Destination: &s.Messages,
			Usage: "matrix of message counts beside a size matrix: a `FILE`"},
		&cli.Int64Flag{Name: "message-bytes", Destination: &s.MessageBytes, Value: 65536,
			Usage: "`N` bytes a message where counts are unknown"},
		&cli.BoolFlag{Name: "wait", DisableDefaultText: true, Destination: &s.Wait,
			Usage: "recorded traffic: ranks wait for all messages of a round, one from and to each partner, before " +
				"the next round, as iterative codes do"},
		&cli.Int64Flag{Name: "unit-bytes", Destination: &s.UnitBytes, Value: 1,
			Usage: "`N` bytes for every unit of the graph's weights"},
		&cli.Int64Flag{Name: "max-packets", Destination: &s.MaxPackets, Value: workload.DefaultMaxPackets,
			Usage: "at most `N` packets a rank, as a mean over all ranks: where there are more than half as many" +
				" again, this much of the volume and half of it are simulated, and times are told for the " +
				"full volume"},
		&cli.StringFlag{Name: "grid", Destination: &s.Grid,
			Usage: "process grid of the ranks, `EXTENTS` such as 64x72, first dimension fastest"},
		&cli.StringFlag{Name: "coordinates", Destination: &s.Coordinates,
			Usage: "where ranks lie in space, for rcb and hilbert: a `FILE`, CSV with the header rank,x,y,z or " +
				"routes of par-comm-data"},
	}
}

func (s *settings) strategyFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "strategy", Destination: &s.strategy,
		Usage: "how to map: a `NAME`, NAME:option=value or a chain a+b"}}
}

// strategiesFlag has a default of each command's own.
func (s *settings) strategiesFlag(byDefault string) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "strategies", Destination: &s.strategies, Value: byDefault,
		Usage: "strategies to try, `A,B+C`"}}
}

func (s *settings) mappingFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "mapping", Destination: &s.mapping,
		Usage: "the mapping: a `FILE`, remap's own or that of a launcher"}}
}

func (s *settings) previousFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "previous", Destination: &s.Previous,
			Usage: "where ranks sit now: a mapping `FILE` to start from and to count moved ranks against " +
				"(default: identity)"},
	}
}

// goalFlags are taken by all commands that map.
func (s *settings) goalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "objective", Destination: &s.Objective, Value: mapping.PathLength.String(),
			Usage: "what mappings are to make small: `NAME` " + strings.Join(mapping.Objectives(), ", ")},
		&cli.StringFlag{Name: "phases", Destination: &s.Phases, Value: job.PhasesTogether,
			Usage: "`HOW` phases of a pattern, in which ranks wait for each other in between, load links: " +
				"together, as if all were sent at once, or apart"},
		&cli.StringFlag{Name: "fixed", Destination: &s.Fixed,
			Usage: "ranks that must stay: a `LIST` RANK=HOST:SLOT such as 0=n3:0,5=n4, or a file with rows " +
				"rank,host,slot"},
		&cli.IntFlag{Name: "max-moves", Destination: &s.MaxMoves,
			Usage: "at most `N` ranks may leave the host they have in --previous; 0 = no limit"},
	}
}

func (s *settings) routingFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "routing", Destination: &s.Routing, Value: "adaptive",
		Usage: "`NAME`: adaptive, two-choices, random, hash or static; valiant or ugal on dragonfly and " +
			"hyperx; loads of links follow it"}}
}

// simulationFlags are taken by all commands that take a job, so that scripts
// can pass one set to all; map and evaluate only check them. Of --routing they have the
// loads of links.
func (s *settings) simulationFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Destination: &s.Seed, Value: 1, Usage: "seed `N` of all chance"},
		&cli.IntFlag{Name: "repeats", Destination: &s.repeats, Value: 6,
			Usage: "`N` simulations of a mapping, each with its own seed"},
		&cli.IntFlag{Name: "steps", Destination: &s.Steps,
			Usage: "`N` steps of every job, one after the other, and the mean time of them; 1 = a cold start; 0 " +
				"= steady state: until the time of a step no longer drifts, the first ones left out"},
		&cli.IntFlag{Name: "packet-bytes", Destination: &s.PacketBytes, Value: 4096,
			Usage: "`N` bytes of the largest packet"},
		&cli.IntFlag{Name: "buffer-bytes", Destination: &s.BufferBytes, Value: 65536,
			Usage: "`N` bytes of every input buffer"},
		&cli.Int64Flag{Name: "switch-ns", Destination: &s.SwitchNS, Value: 100,
			Usage: "`N` ns from a switch's input to its output"},
		&cli.StringFlag{Name: "credits", Destination: &s.Credits, Value: "auto",
			Usage: "`NAME`: exact times every credit; newest, faster, of those on their way the newest one, in " +
				"networks with one virtual channel; auto takes newest where a round trip fills at most a " +
				"quarter of a buffer"},
		&cli.StringFlag{Name: "switching", Destination: &s.Switching, Value: "cut-through",
			Usage: "`NAME`: cut-through or store-and-forward"},
		&cli.Int64Flag{Name: "eager-bytes", Destination: &s.EagerBytes,
			Usage: "messages longer than `N` bytes wait until their receiver is ready (rendezvous), in patterns " +
				"that receive; 0 = none"},
		&cli.IntFlag{Name: "in-flight", Destination: &s.InFlight,
			Usage: "`N` messages of a rank in its adapter at a time, the others wait in order; 0 = no limit"},
		&cli.Float64Flag{Name: "compute-noise", Destination: &s.ComputeNoise,
			Usage: "computing takes 1 + `X` times E of its time, E exponential with mean 1"},
		&cli.Int64Flag{Name: "start-jitter-ns", Destination: &s.StartJitterNS,
			Usage: "ranks begin at a random time from 0 to `N` ns"},
		&cli.Float64Flag{Name: "memory-gbps", Destination: &s.MemoryGbps,
			Usage: "`X` Gb/s of a host's memory, for messages between its own ranks; 0 = as much as its network " +
				"links together, at least 160"},
		&cli.StringFlag{Name: "congestion", Destination: &s.Congestion, Value: evalsim.Congestion{}.String(),
			Usage: "when a port is congested: `RULE` queue-above-credits (of the next buffer), " +
				"queue-above:BYTES, credits-below:BYTES, probabilistic:BYTES (more likely with a longer " +
				"queue, certain from BYTES on), or, --congestion-at departure, wait-above:BYTES (the packet " +
				"waits for longer than the link takes to send BYTES)"},
		&cli.StringFlag{Name: "congestion-at", Destination: &s.CongestionAt, Value: "queueing",
			Usage: "when a packet looks: `WHEN` it joins a port's queue (queueing), before that (arrival), or as" +
				" it leaves (departure)"},
		&cli.StringFlag{Name: "progress", Destination: &s.progress, Value: "auto",
			Usage: "`WHEN` to show progress: auto, always or never"},
	}
}

func (s *settings) samplingFlag(effect string) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "sampling", Destination: &s.Sampling,
		Usage: "packets carry samples, " + effect +
			": `VARIANT` full (also without a value), off, n=SLOTS, one-bit, one-reservoir or bloom:BITS, with " +
			"options such as one-reservoir,counter=4 (see docs/sampling.md)"}}
}

func (s *settings) measureFlags() []cli.Flag {
	view := s.viewFlag("fills the est_ columns of --links: job, or administrator for the receivers of all " +
		"jobs; with --sampling")
	slices := s.slicesFlag("rows of --links for each of `N` time slices of the first repeat's time")
	return append(join(view, slices),
		&cli.StringFlag{Name: "links", Destination: &s.links,
			Usage: "write what every link has seen to a `FILE`: CSV, JSON or Parquet by its ending"},
		&cli.StringFlag{Name: "links-format", Destination: &s.linksFormat,
			Usage: "`FORMAT` of --links: csv, json or parquet (default: by its ending)"},
		&cli.BoolFlag{Name: "by-phase", DisableDefaultText: true, Destination: &s.byPhase,
			Usage: "rows for each phase of the program; turns --sampling on"},
		&cli.BoolFlag{Name: "by-tag", DisableDefaultText: true, Destination: &s.byTag,
			Usage: "rows for each tag of messages; turns --sampling on"},
		&cli.BoolFlag{Name: "by-call-site", DisableDefaultText: true, Destination: &s.byCallSite,
			Usage: "rows for each call site: the place in the application that posts messages, such " +
				"as a direction of a stencil or a collective; turns --sampling on"},
		&cli.StringFlag{Name: "samples", Destination: &s.samples,
			Usage: "write what every delivered packet carried to a `FILE`: CSV, JSON or Parquet by its ending; " +
				"turns --sampling on"},
		&cli.StringFlag{Name: "latencies", Destination: &s.latencies,
			Usage: "write latencies of messages by size to a `FILE`: CSV, JSON or Parquet by its ending"})
}

func (s *settings) loopFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "rounds", Destination: &s.rounds, Value: 5, Usage: "at most `N` rounds of feedback"},
		&cli.Float64Flag{Name: "gain", Destination: &s.gain, Value: 4,
			Usage: "`G`: how strongly congestion changes the next mappings, 0 = not at all"},
		&cli.StringFlag{Name: "feedback", Destination: &s.feedback, Value: "capacities,prices",
			Usage: "`MODELS` by which measured congestion goes into the next mappings: " + modelNames()},
		&cli.DurationFlag{Name: "budget", Destination: &s.budget,
			Usage: "stop after a `DURATION` such as 30s; results then depend on the machine's speed"},
		&cli.IntFlag{Name: "simulations", Destination: &s.simulations,
			Usage: "the search stops after `N` simulated mappings; the limits of moves under --previous and " +
				"--control have their own; 0 = no limit"},
		&cli.IntFlag{Name: "validation-repeats", Destination: &s.validationRepeats, Value: 10,
			Usage: "`N` simulations of each mapping in the final validation at most (6 suffice where these prove" +
				" which is faster), on seeds that the search has not used"},
		&cli.BoolFlag{Name: "control", Destination: &s.control, Value: true, DefaultText: "on without --budget",
			Usage: "random restarts with as many simulated mappings beside the loop, to tell what feedback is " +
				"worth; --control=false saves half the time"},
		&cli.StringFlag{Name: "state", Destination: &s.state,
			Usage: "keep every step in the folder `DIR`, and the best mapping so far; the same command with it " +
				"goes on where the run was cut off"},
	}
}

// outputFlags: --format has a value by default, or none and a text about it.
func (s *settings) outputFlags(formats, value, byDefault string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &s.output,
			Usage: "`FILE` to write (default: standard output)"},
		&cli.StringFlag{Name: "format", Destination: &s.format, Value: value, DefaultText: byDefault,
			Usage: "`FORMAT`: " + formats},
		&cli.BoolFlag{Name: "force", DisableDefaultText: true, Destination: &s.force,
			Usage: "replace existing files; where mappings are written, also a launcher's file that cannot hold all " +
				"of one, with a warning in it"},
	}
}

// launcherFlags are taken by the commands that write or check files of launchers.
func (s *settings) launcherFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bind", Destination: &s.bind,
			Usage: "`WHAT` ranks are bound to, in the file or on the launch line: core, socket or none " +
				"(default: as the launcher does)"},
		&cli.StringFlag{Name: "host-cores", Destination: &s.hostCores,
			Usage: "cores of every host, `SOCKETSxCORES` such as 2x16 for two sockets of 16 cores"},
	}
}

func (s *settings) verifyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "plan", Destination: &s.plan,
			Usage: "where ranks should run: a mapping `FILE` in any format (default: what --mapping says)"},
		&cli.BoolFlag{Name: "run", DisableDefaultText: true, Destination: &s.run,
			Usage: "start the launcher with a one-line program, and compare where its ranks run"},
		&cli.StringFlag{Name: "launcher", Destination: &s.launcher,
			Usage: "the launcher for --run, a `PROGRAM` with options such as 'mpirun --oversubscribe' (default: " +
				"that " +
				"of the format)"},
		&cli.DurationFlag{Name: "timeout", Destination: &s.timeout, Value: 5 * time.Minute,
			Usage: "end a launcher that hangs after a `DURATION`; 0 = never"},
	}
}

// only are the options of these names.
func only(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return !slices.Contains(names, f.Names()[0]) })
}

// without are the options but those of these names.
func without(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		return slices.Contains(names, f.Names()[0])
	})
}

func (s *settings) mappingFormatFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "mapping-format", Destination: &s.mappingFormat,
		Usage: "`FORMAT` of --mapping (default: by its ending or content)"}}
}

// allFormats are those of everything that convert writes.
func allFormats() string {
	return "of mappings " + mappingFormats() + "; of graphs " + strings.Join(commgraph.WriteFormats(), ", ") +
		"; of networks ibnetdiscover"
}

func (s *settings) jsonFlag() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "json", DisableDefaultText: true, Destination: &s.json,
		Usage: "JSON alone on standard output"}}
}

func (s *settings) commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "workers", Destination: &s.workers, Value: runtime.GOMAXPROCS(0),
			DefaultText: "the cores", Usage: "`N` things at a time; results do not depend on it"},
		&cli.BoolFlag{Name: "timing", DisableDefaultText: true, Destination: &s.timing,
			Usage: "tell measured times"},
	}
}

func (s *settings) quietFlag() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "quiet", DisableDefaultText: true, Aliases: []string{"q"},
		Destination: &s.quiet, Usage: "errors only on standard error"}}
}

// check tests the bounds of whole numbers that no package below checks. An
// option that the command does not have is at its zero value, and passes.
func (s *settings) check(c *cli.Context) error {
	s.chosen, s.asked, s.repeatsSet = c.IsSet("strategies"), c.IsSet("format"), c.IsSet("repeats")
	s.congestionSet = c.IsSet("congestion") || c.IsSet("congestion-at")
	s.control = s.control && (c.IsSet("control") || !c.IsSet("budget"))
	if err := cmp.Or(s.checkBounds(c), s.checkEmpty(c), s.checkMeasured(c)); err != nil {
		return err
	}
	if s.budget < 0 {
		return usage("0 is no limit", "--budget must not be negative: %v", s.budget)
	}
	if !(s.gain >= 0 && s.gain <= 1000) {
		return usage("0 switches feedback off", "--gain must be from 0 to 1000, not %g", s.gain)
	}
	if !(s.ComputeNoise >= 0 && s.ComputeNoise <= 1000) {
		return usage("0 is none", "--compute-noise must be from 0 to 1000, not %g", s.ComputeNoise)
	}
	if s.MemoryGbps != 0 && !(s.MemoryGbps >= 0.01 && s.MemoryGbps <= 1e6) {
		return usage("0 is as much as the host's network links together",
			"--memory-gbps must be 0 or from 0.01 to 1000000, not %g", s.MemoryGbps)
	}
	if c.IsSet("state") && s.state == "" {
		return usage("leave the option out to keep nothing", "--state: the value is empty")
	}
	if c.IsSet("sampling") && s.Sampling == "" {
		return usage("off is none; --sampling with nothing behind it is full", "--sampling: the value is empty")
	}
	switch s.progress {
	case "", "auto", "always", "never":
		return nil
	}
	return usage("auto shows it on a terminal", "--progress must be auto, always or never, not %q", s.progress)
}

// checkBounds tests the bounds of whole numbers.
func (s *settings) checkBounds(c *cli.Context) error {
	for _, bound := range []struct {
		name        string
		value       int64
		least, most int64
		hint        string
	}{
		{"ranks-per-host", int64(s.RanksPerHost), 1, 1 << 20, "usually the cores of a host"},
		{"message-bytes", s.MessageBytes, 1, 1 << 40, "the default is 65536"},
		{"unit-bytes", s.UnitBytes, 1, 1 << 40, "1 when the graph's weights are bytes"},
		{"max-packets", s.MaxPackets, 1, workload.MaxPackets,
			"packets a rank: more are slower to simulate; the default is 32768"},
		{"repeats", int64(s.repeats), 1, 1000, "6 repeats are the least that give an interval"},
		{"steps", int64(s.Steps), 0, 10000, "0 is steady state, 1 a cold start"},
		{"switch-ns", s.SwitchNS, 0, 1000000, "the default is 100"},
		{"slices", int64(s.slices), 1, 1024, "5 show how congestion grows and ends"},
		{"eager-bytes", s.EagerBytes, 0, 1 << 40, "0 = no message waits for its receiver"},
		{"in-flight", int64(s.InFlight), 0, 1 << 20, "0 is no limit"},
		{"start-jitter-ns", s.StartJitterNS, 0, 3_600_000_000_000, "0 starts all ranks at once"},
		{"workers", int64(s.workers), 1, 4096, "the default is the number of cores"},
		{"rounds", int64(s.rounds), 0, 1000, "the default is 5"},
		{"simulations", int64(s.simulations), 0, 1000000, "0 is no limit"},
		{"validation-repeats", int64(s.validationRepeats), 1, 1000,
			"6 are the least that give an interval; the default is 10"},
		{"launches", int64(s.bed.launches), 1, 1000, "6 are the least that give an interval; the default is 3"},
		{"launch-steps", int64(s.bed.steps), 1, 10000, "the default is 20"},
		{"margin", int64(s.bed.margin), 0, int64(s.bed.steps-1) / 2, "two margins must leave steps of " +
			"--launch-steps to count"},
		{"random", int64(s.bed.random), 0, 1000, "the default is 3"},
		{"max-moves", int64(s.MaxMoves), 0, 1 << 31, "0 is no limit"},
		{"migration-bytes", s.migration, 1, 1 << 50,
			"what one rank keeps in memory and takes along, for example 1000000000"},
	} {
		if c.IsSet(bound.name) && (bound.value < bound.least || bound.value > bound.most) {
			return usage(bound.hint, "--%s must be from %d to %d, not %d",
				bound.name, bound.least, bound.most, bound.value)
		}
	}
	return nil
}

// checkEmpty refuses options with nothing in them, which may be a script's
// variable that was never set: leaving them out means something else. Beside
// a scenario they undo what it sets.
func (s *settings) checkEmpty(c *cli.Context) error {
	for _, name := range []string{"hosts", "grid", "coordinates", "previous", "objective", "fixed"} {
		if s.scenario == "" && c.IsSet(name) && c.String(name) == "" {
			return usage("leave the option out for its default", "--%s: the value is empty", name)
		}
	}
	return nil
}

func modelNames() string {
	var names []string
	for _, f := range feedback.Models() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
