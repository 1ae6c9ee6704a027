// Package experiment runs jobs on a testbed, beside competitors, and holds what is measured against
// what is simulated.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"remap/flows"
	"remap/launcher"
	"remap/replay"
	"remap/testbed"
	"remap/workload"
)

// Setup is what runs on a testbed.
type Setup struct {
	// Network is the testbed, Executables the programs of replay.Compile.
	Network     *testbed.Network
	Executables replay.Executables
	// Application is the job, Play its options.
	Application replay.Application
	Play        replay.Options
	// Margin is how many steps at the beginning and at the end do not count: first the network fills,
	// and last it empties, as ranks that are ahead have ended.
	Margin int
	// Others run beside the job.
	Others []Other
	// Settle is how long the others run alone before the job is started.
	Settle time.Duration
	// Look is the interval in which the ports' queues are looked at; 0 = at both ends only.
	Look time.Duration
	// Timeout ends a launch that hangs, the time that others run alone not counted; 0 = never.
	Timeout time.Duration
	// Record is a folder for the profiles of Open MPI's monitoring; empty = the traffic is not recorded.
	Record string
	// Seed is that of the switches' hash functions. Launches with one seed have the same competitors: their
	// connections take the same paths. Those of the job have ports of the kernel's choice, so they do not.
	Seed uint32
	// Folder takes the files of a launch.
	Folder string
}

// Other is a competitor.
type Other struct {
	// Name is for people.
	Name string
	// Program is played over and over; Hosts has the host of every rank.
	Program *workload.Program
	Hosts   []int32
}

// Launch is what one start of a job has shown.
type Launch struct {
	// Steps are all those of the job.
	Steps []replay.Step
	// Seconds is the mean time of a step that counts.
	Seconds float64
	// Alone and Beside are what each of the others received, in bytes a second, before the job was
	// started and while it took the steps that count.
	Alone, Beside []float64
	// Ports is what the ports did while the job took the steps that count.
	Ports *testbed.Measurement
}

// Run starts the job once, with its ranks where a placement says. Competitors are started anew.
func (s *Setup) Run(ctx context.Context, p *launcher.Placement) (*Launch, error) {
	if 2*s.Margin >= s.Play.Steps {
		return nil, fmt.Errorf("%d steps of which %d do not count", s.Play.Steps, 2*s.Margin)
	}
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.Timeout+s.Settle,
			fmt.Errorf("the launch did not end within %v", s.Timeout))
		defer cancel()
	}
	if err := s.Network.Reseed(s.Seed); err != nil {
		return nil, err
	}
	others, err := s.startOthers(ctx)
	if err != nil {
		return nil, err
	}
	defer others.stop()
	l := &Launch{}
	if l.Alone, err = others.settle(ctx, s.Settle); err != nil {
		return nil, err
	}
	if err := s.launch(ctx, p, l, others); err != nil {
		return l, errors.Join(err, others.stop())
	}
	for _, step := range l.Steps[s.Margin : len(l.Steps)-s.Margin] {
		l.Seconds += step.Seconds / float64(len(l.Steps)-2*s.Margin)
	}
	if l.Ports == nil {
		return l, errors.Join(errors.New("the job ended before its steps were seen"), others.stop())
	}
	return l, others.stop()
}

// competitors are the others of a launch.
type competitors struct {
	jobs   []*flows.Job
	cancel context.CancelFunc
	begun  []flows.Snapshot
}

func (s *Setup) startOthers(ctx context.Context) (*competitors, error) {
	plan := s.Network.Plan
	ctx, cancel := context.WithCancel(ctx)
	c := &competitors{cancel: cancel}
	options := flows.DefaultOptions()
	options.HostBytesPerSecond, options.FirstPort = s.Play.IdleBytesPerSecond, firstPort
	for _, other := range s.Others {
		var hosts []flows.Host
		place, numbers := make([]int32, len(other.Hosts)), map[int32]int32{}
		for r, host := range other.Hosts {
			number, known := numbers[host]
			if !known {
				number = int32(len(hosts))
				numbers[host] = number
				node := &plan.Nodes[host]
				hosts = append(hosts, flows.Host{Name: node.Name, Address: node.Address.String(),
					Inside: func(f func() error) error { return s.Network.Inside(host, f) }})
			}
			place[r] = number
		}
		job, err := flows.Start(ctx, other.Program, hosts, place, options)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", other.Name, err), c.stop())
		}
		c.jobs = append(c.jobs, job)
		options.FirstPort += job.Ports()
	}
	return c, nil
}

// settle lets the competitors run alone and gives their rates.
func (c *competitors) settle(ctx context.Context, d time.Duration) ([]float64, error) {
	if len(c.jobs) == 0 {
		return nil, nil
	}
	// The first part of the time is that in which windows grow.
	if err := sleep(ctx, d/2); err != nil {
		return nil, err
	}
	c.mark()
	if err := sleep(ctx, d/2); err != nil {
		return nil, err
	}
	return c.rates(), nil
}

// mark begins an interval, rates ends it.
func (c *competitors) mark() {
	c.begun = c.begun[:0]
	for _, job := range c.jobs {
		c.begun = append(c.begun, job.Snapshot())
	}
}

func (c *competitors) rates() []float64 {
	rates := make([]float64, len(c.jobs))
	for i, job := range c.jobs {
		rates[i] = job.Snapshot().BytesPerSecond(c.begun[i])
	}
	return rates
}

// stop ends the competitors. The error names connections that broke.
func (c *competitors) stop() error {
	c.cancel()
	var broke error
	for _, job := range c.jobs {
		broke = errors.Join(broke, job.Wait())
	}
	c.jobs = nil
	return broke
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Prepare compiles the programs into the testbed's folder and chooses the application. One without a
// name plays its Program, which is written to Folder and must have a receive for every message.
func (s *Setup) Prepare(ctx context.Context, a replay.Application) (err error) {
	programs := filepath.Join(s.Network.Plan.Folder(), "programs")
	if s.Executables, err = replay.Compile(ctx, programs); err != nil {
		return err
	}
	s.Application = a
	if a.Name != "" {
		return nil
	}
	path := filepath.Join(s.Folder, "messages")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	s.Application = replay.Play(path, a.Program)
	return errors.Join(replay.Write(file, a.Program), file.Close())
}
