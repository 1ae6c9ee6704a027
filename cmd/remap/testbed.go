package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/experiment"
	"remap/launcher"
	"remap/mapping"
	"remap/replay"
	"remap/testbed"
)

// testbedOptions are those of the testbed commands.
type testbedOptions struct {
	testbed.Options
	launches int
	played   int
	warmUp   int
	settle   time.Duration
	look     time.Duration
	seconds  float64
}

const (
	testbedUpExamples = `
  remap testbed up --topology fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,gbps=0.02
  remap testbed up --topology torus:4x4,gbps=0.02 --name torus --routing static
`
	testbedRunExamples = `
  remap testbed run --pattern stencil2d:4x4,wait=true --strategy tiling
  remap testbed run --pattern stencil2d:4x2,wait=true --hosts 'n[0-7]' --mapping job.csv --links links.csv \
      --background ring:4,endless=true@n8,n12,n9,n13
`
	testbedDownExamples = `
  remap testbed down
  remap testbed down --name torus
`
)

func (p *program) testbedCommand(job []cli.Flag) *cli.Command {
	c := &cli.Command{Name: "testbed", Usage: "a real network of namespaces on this machine", HideHelpCommand: true,
		Subcommands: []*cli.Command{
			p.command("up", "build the network of a topology", testbedUpExamples, p.testbedUp,
				p.networkFlags(), p.routingFlag(), p.testbedNameFlag(), p.testbedFlags(), p.quietFlag()),
			p.command("run", "run a job on it", testbedRunExamples, p.testbedRun,
				job, p.mappingFlag(), p.strategyFlag(), p.testbedNameFlag(), p.playFlags(), only(p.measureFlags(), "links")),
			p.command("down", "take it away", testbedDownExamples, p.testbedDown, p.testbedNameFlag(), p.quietFlag()),
		}}
	return c
}

func (s *settings) testbedNameFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "name", Destination: &s.bed.Name, Value: testbed.DefaultOptions().Name,
		Usage: "`NAME` of the testbed, where there are several"}}
}

func (s *settings) testbedFlags() []cli.Flag {
	d := testbed.DefaultOptions()
	return []cli.Flag{
		&cli.IntFlag{Name: "port-bytes", Destination: &s.bed.BufferBytes, Value: d.BufferBytes,
			Usage: "`N` bytes that wait at a port before it drops packets"},
		&cli.IntFlag{Name: "mtu", Destination: &s.bed.MTU, Value: d.MTU, Usage: "`N` bytes of the largest IP packet"},
		&cli.StringFlag{Name: "tcp", Destination: &s.bed.CongestionControl,
			Usage: "`NAME` of TCP's congestion control, such as cubic (default: that of the machine)"},
		&cli.IntFlag{Name: "window-bytes", Destination: &s.bed.WindowBytes,
			Usage: "`N` bytes that a connection may have under way; 0 = the machine's limit"},
		&cli.Uint64Flag{Name: "seed", Destination: &s.Seed, Value: 1, Usage: "seed `N` of the switches' hash functions"},
	}
}

func (s *settings) playFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "launches", Destination: &s.bed.launches, Value: 1, Usage: "start the job `N` times"},
		&cli.IntFlag{Name: "played-steps", Destination: &s.bed.played, Value: 16, Usage: "`N` steps of the job in a launch"},
		&cli.IntFlag{Name: "margin", Destination: &s.bed.warmUp, Value: 3, Usage: "the first and the last `N` steps do not count"},
		&cli.DurationFlag{Name: "settle", Destination: &s.bed.settle, Value: 2 * time.Second,
			Usage: "the others run alone for a `DURATION` before the job"},
		&cli.DurationFlag{Name: "look", Destination: &s.bed.look, Value: 20 * time.Millisecond,
			Usage: "look at the ports' queues once in a `DURATION`"},
	}
}

func (p *program) testbedUp(ctx context.Context) error {
	o := p.bed.Options
	o.Seed = uint32(p.Seed)
	o.Static = p.Routing == "static"
	plan, err := testbed.NewPlan(testbed.Source{Topology: p.Topology, Fail: p.fail.Value(), Slow: p.slow.Value()}, o)
	if err != nil {
		return err
	}
	network, err := testbed.Up(ctx, plan)
	if err != nil {
		return err
	}
	network.Close()
	p.say("testbed %s is up: %s", o.Name, plan.Topology.Summary())
	return nil
}

func (p *program) testbedDown(context.Context) error {
	count, err := testbed.Down(p.bed.Name)
	if err == nil {
		p.say("testbed %s is down: %d namespaces", p.bed.Name, count)
	}
	return err
}

// testbedJob opens the testbed that is up and the job that is to run on it.
func (p *program) testbedJob() (*testbed.Network, *remap.Environment, error) {
	network, err := testbed.Open(p.bed.Name)
	if err != nil {
		return nil, nil, err
	}
	source := network.Plan.Source
	p.Topology = source.Topology
	p.fail, p.slow = *cli.NewStringSlice(source.Fail...), *cli.NewStringSlice(source.Slow...)
	if !p.context.IsSet("routing") {
		p.Routing = "hash"
		if network.Plan.Options.Static {
			p.Routing = "static"
		}
	}
	if !p.context.IsSet("packet-bytes") {
		p.PacketBytes = network.Plan.Options.PayloadBytes()
	}
	j, err := p.loadSimulated()
	if err == nil && j.Program.VolumeScale != 1 && j.Program.VolumeScale != 0 {
		err = fail("--max-packets", "the volume is scaled")
	}
	if err == nil {
		j.Program, err = replay.WithReceives(j.Program)
	}
	if err != nil {
		network.Close()
		return nil, nil, err
	}
	return network, j, nil
}

func (p *program) testbedRun(ctx context.Context) error {
	network, j, err := p.testbedJob()
	if err != nil {
		return err
	}
	defer network.Close()
	var m mapping.Mapping
	if p.mapping != "" {
		if m, err = j.ReadMapping(p.mapping); err != nil {
			return inOption("mapping", err)
		}
	} else {
		chosen, err := p.chosenStrategy()
		if err != nil {
			return err
		}
		if m, err = chosen.Map(ctx, j.Problem(p.Seed)); err != nil {
			return err
		}
	}
	simulated, err := experiment.Predict(ctx, j.Machine, j.Jobs(m), j.Simulation, p.repeats, p.workers)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "remap-testbed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s := &experiment.Setup{Network: network, Play: replay.DefaultOptions(), Margin: p.bed.warmUp, Settle: p.bed.settle,
		Look: p.bed.look, Timeout: 5 * time.Minute, Folder: folder}
	s.Play.Steps = p.bed.played
	for _, b := range j.Background {
		s.Others = append(s.Others, experiment.Other{Name: b.Name, Program: b.Program, Hosts: b.Hosts})
	}
	if err := s.Prepare(ctx, filepath.Join(os.TempDir(), "remap-programs"), j.Program); err != nil {
		return err
	}
	run := experiment.Run{}
	run.Simulated(simulated)
	place := launcher.NewPlacement(j.Machine, j.Allocation, m)
	var launches []*experiment.Launch
	for range p.bed.launches {
		l, err := s.Run(ctx, place)
		if err != nil {
			return errors.Join(err)
		}
		launches = append(launches, l)
		fmt.Fprintf(p.stdout, "launch: %.4f s a step; others alone %.3g beside %.3g MB/s; steps", l.Seconds, l.Alone, l.Beside)
		for _, step := range l.Steps {
			fmt.Fprintf(p.stdout, " %.3f", step.Seconds)
		}
		fmt.Fprintln(p.stdout, " drops", l.Ports.Drops())
	}
	run.Measured(launches)
	fmt.Fprintf(p.stdout, "simulated %.4f measured %.4f [%.4f %.4f] ratio %.3f\n", run.SimulatedSeconds, run.MeasuredSeconds, run.Low, run.High, run.MeasuredSeconds/run.SimulatedSeconds)
	return nil
}
