package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/experiment"
	"remap/replay"
	"remap/testbed"
	"remap/workload"
)

const (
	testbedUpExamples = `
  remap testbed up \
      --topology fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,gbps=0.02
  remap testbed up --topology torus:4x4,gbps=0.02 --name torus --routing static
`
	testbedDownExamples = `
  remap testbed down
  remap testbed down --name torus
`
)

// bedOptions are those of the testbed commands.
type bedOptions struct {
	testbed.Options
	launches  int
	steps     int
	margin    int
	settle    time.Duration
	look      time.Duration
	seconds   float64
	program   string
	record    string
	random    int
	snapshots string

	// played is the program of a step as the ranks play it.
	played *workload.Program
}

// testbedCommand is the table of its subcommands.
func (p *program) testbedCommand(job []cli.Flag) *cli.Command {
	name := p.bedNameFlag()
	counters, timeout := p.countersFlags(), only(p.verifyFlags(), "timeout")
	// The network is that of the testbed, and so is its routing.
	job = without(job, "topology", "fail", "slow", "scenario", "routing")
	reports := p.outputFlags("text, markdown, csv or json", "text", "")
	return &cli.Command{
		Name: "testbed", Usage: "a real network of namespaces on this machine: up, run, measure, validate, down",
		HideHelpCommand: true, CustomHelpTemplate: testbedHelp, OnUsageError: usageError,
		Action: p.noTestbedCommand,
		Subcommands: []*cli.Command{
			p.command("up", "build the network of a topology", testbedUpExamples, p.testbedUp,
				p.networkFlags(), p.routingFlag(), name, p.bedFlags(), p.quietFlag()),
			p.command("run", "run a job on it, and measure its steps", testbedRunExamples, p.testbedRun,
				job, p.mappingFlag(), p.strategyFlag(), name, p.playFlags(), timeout, p.programFlags(), counters,
				reports),
			p.command("measure", "read the kernel's port counters for a while", testbedMeasureExamples,
				p.testbedMeasure, name, p.secondsFlag(), only(p.playFlags(), "look"), counters,
				only(p.outputFlags("", "", ""), "force"), p.quietFlag()),
			p.command("validate", "simulate and measure several mappings, and compare", testbedValidateExamples,
				p.testbedValidate, job, p.mappingFlag(), p.strategiesFlag(validateDefault), p.randomFlag(),
				only(p.loopFlags(), "rounds"), name, without(p.playFlags(), "look"), timeout,
				only(p.programFlags(), "program"), reports),
			p.command("down", "take it away", testbedDownExamples, p.testbedDown, name, p.quietFlag()),
		},
	}
}

const testbedHelp = `{{.HelpName}}: {{.Usage}}

usage: {{.HelpName}} COMMAND [options]

commands:
{{range .VisibleCommands}}  {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
{{.HelpName}} COMMAND --help shows the options and two worked examples. Linux and root are needed.
`

// noTestbedCommand answers a command line that names no subcommand, or an unknown one.
func (p *program) noTestbedCommand(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowSubcommandHelp(c)
	}
	return usage("commands: up, run, measure, validate, down", "unknown command testbed %q", c.Args().First())
}

func (s *settings) bedNameFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "name", Destination: &s.bed.Name,
		Value: testbed.DefaultOptions().Name, Usage: "`NAME` of the testbed, where there are several"}}
}

func (s *settings) bedFlags() []cli.Flag {
	d := testbed.DefaultOptions()
	return []cli.Flag{
		&cli.IntFlag{Name: "port-bytes", Destination: &s.bed.BufferBytes, Value: d.BufferBytes,
			Usage: "`N` bytes that wait at a port before it drops packets"},
		&cli.IntFlag{Name: "mtu", Destination: &s.bed.MTU, Value: d.MTU, Usage: "`N` bytes of the largest IP " +
			"packet"},
		&cli.StringFlag{Name: "tcp", Destination: &s.bed.CongestionControl, Value: d.CongestionControl,
			Usage: "`NAME` of TCP's congestion control: reno, bbr or another that the kernel allows in namespaces"},
		&cli.IntFlag{Name: "window-bytes", Destination: &s.bed.WindowBytes, Value: d.WindowBytes,
			Usage: "`N` bytes that a connection may have under way; 0 = the machine's limit"},
	}
}

func (s *settings) playFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "launches", Destination: &s.bed.launches, Value: 3,
			Usage: "start the job `N` times; every launch draws the paths of its connections anew"},
		&cli.IntFlag{Name: "launch-steps", Destination: &s.bed.steps, Value: 20,
			Usage: "`N` steps of the job " +
				"in a launch"},
		&cli.IntFlag{Name: "margin", Destination: &s.bed.margin, Value: 3,
			Usage: "the first and the last `N` steps of a launch do not count"},
		&cli.DurationFlag{Name: "settle", Destination: &s.bed.settle, Value: 2 * time.Second,
			Usage: "the other jobs run alone for a `DURATION` before the job"},
		&cli.DurationFlag{Name: "look", Destination: &s.bed.look, Value: 20 * time.Millisecond,
			Usage: "look at the queues of all ports once in a `DURATION`; 0 = never"},
	}
}

func (s *settings) programFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "program", Destination: &s.bed.program,
			Usage: "a program with data of its own in place of messages alone: a `SPEC` heat:8x4,bytes=60032, " +
				"transpose:16,size=512 or ring:16,bytes=1048576"},
		&cli.StringFlag{Name: "record", Destination: &s.bed.record,
			Usage: "record the traffic by Open MPI's monitoring in the folder `DIR`, for --graph DIR"},
	}
}

func (s *settings) randomFlag() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "random", Destination: &s.bed.random, Value: 3,
		Usage: "`N` random mappings beside the strategies"}}
}

func (s *settings) secondsFlag() []cli.Flag {
	return []cli.Flag{&cli.Float64Flag{Name: "seconds", Destination: &s.bed.seconds, Value: 10,
		Usage: "measure for `N` seconds"}}
}

func (s *settings) countersFlags() []cli.Flag {
	return append(only(s.measureFlags(), "links"),
		&cli.StringFlag{Name: "snapshots", Destination: &s.bed.snapshots,
			Usage: "write the counters at the beginning and at the end to a `FILE`, CSV with a time"})
}

func (p *program) testbedUp(ctx context.Context) error {
	if p.Topology == "" {
		return usage("--topology SPEC with gbps=0.02 or so", "--topology is missing")
	}
	o := p.bed.Options
	switch p.Routing {
	case "static":
		o.Static = true
	case "hash":
	default:
		if p.context.IsSet("routing") {
			return usage("hash: a path for each connection; static: one for each host",
				"--routing %s: a testbed's switches cannot do this", p.Routing)
		}
	}
	source := testbed.Source{Topology: p.Topology, Fail: p.fail.Value(), Slow: p.slow.Value()}
	plan, err := testbed.NewPlan(source, o)
	if err != nil {
		return err
	}
	network, err := testbed.Up(ctx, plan)
	if err != nil {
		return unsupported(err)
	}
	network.Close()
	p.say("testbed %s is up: %s", o.Name, plan.Topology.Summary())
	return nil
}

// unsupported adds what helps where no testbed can be had.
func unsupported(err error) error {
	if errors.Is(err, testbed.ErrUnsupported) {
		return fail("run it as root on Linux, outside of containers without the right to make "+
			"namespaces", "%w", err)
	}
	return err
}

func (p *program) testbedDown(context.Context) error {
	count, err := testbed.Down(p.bed.Name)
	if err != nil {
		return unsupported(err)
	}
	p.say("testbed %s is down: %d namespaces", p.bed.Name, count)
	return nil
}

// checkPlay tests the options of launches that no table of bounds has.
func (p *program) checkPlay() error {
	if 2*p.bed.margin >= p.bed.steps {
		return usage("two margins must leave steps to count", "--launch-steps %d and --margin %d", p.bed.steps,
			p.bed.margin)
	}
	for name, d := range map[string]time.Duration{"settle": p.bed.settle, "look": p.bed.look} {
		if d < 0 || d > time.Hour {
			return usage("for example 20ms", "--%s must be from 0s to 1h, not %v", name, d)
		}
	}
	if len(p.background.Value()) > 0 && p.bed.settle < 100*time.Millisecond {
		return usage("for example 2s", "--settle %v: too short to tell what others receive alone", p.bed.settle)
	}
	if p.timeout < 0 {
		return usage("0 is no limit", "--timeout must not be negative: %v", p.timeout)
	}
	return nil
}

// testbedJob opens the testbed that is up, for this program alone, and the job that is to run on it: it
// is simulated with the network, the routing and the packets of the testbed, and with the receives with
// which it is played.
func (p *program) testbedJob() (*testbed.Network, *remap.Environment, error) {
	if err := p.checkPlay(); err != nil {
		return nil, nil, err
	}
	network, err := testbed.Open(p.bed.Name)
	if err != nil {
		return nil, nil, unsupported(err)
	}
	plan := network.Plan
	p.Topology = plan.Source.Topology
	p.fail, p.slow = *cli.NewStringSlice(plan.Source.Fail...), *cli.NewStringSlice(plan.Source.Slow...)
	p.Routing = "hash"
	if plan.Options.Static {
		p.Routing = "static"
	}
	if !p.context.IsSet("packet-bytes") {
		p.PacketBytes = plan.Options.PayloadBytes()
	}
	if !p.context.IsSet("eager-bytes") {
		p.EagerBytes = experiment.EagerBytes
	}
	if !p.repeatsSet {
		p.repeats = experiment.Repeats
	}
	j, err := p.playable()
	if err == nil {
		err = network.Claim()
	}
	if err != nil {
		network.Close()
		return nil, nil, err
	}
	return network, j, nil
}

// playable opens the job as it is played. It is simulated with sends that the library buffers.
func (p *program) playable() (*remap.Environment, error) {
	if p.bed.program != "" {
		if p.Pattern != "" || p.Graph != "" {
			return nil, usage("its messages are known", "--program excludes --pattern and --graph")
		}
		application, err := replay.ParseApplication(p.bed.program)
		if err != nil {
			return nil, inOption("program", err)
		}
		p.Pattern = application.Pattern
	}
	j, err := p.loadSimulated()
	if err != nil {
		return nil, err
	}
	if j.Program.Smaller != nil {
		return nil, fail("fewer or smaller messages: a step should take less than some seconds",
			"the job has more than --max-packets, and a testbed plays the whole volume")
	}
	if p.bed.played, err = replay.WithReceives(j.Program); err != nil {
		return nil, fmt.Errorf("the job cannot be played: %w", err)
	}
	j.Program = replay.Eager(p.bed.played, p.EagerBytes)
	return j, nil
}
