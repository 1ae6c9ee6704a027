// Package labelled draws jobs of which it is known why they are slow: tests of diagnosis are judged on
// them. The label is found by simulating what would be, without others and under a better mapping; a
// diagnosis sees neither.
package labelled

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// The causes, as `remap diagnose` names them.
const (
	ByMapping = "mapping"
	ByPattern = "pattern"
	ByOthers  = "others"
)

// A cause is there when without it the job would be so much faster, and absent when it would not be: cases
// in between have no clear label and are drawn again.
const (
	presentFrom = 1.25
	absentTo    = 1.10
	// leastPart of the logarithm of the time lost is each cause's of a pair: less is hidden by the other.
	leastPart = 0.2
	// mostAttempts bounds the draws for one case.
	mostAttempts = 400
)

// Case is a job of which it is known why it is slow.
type Case struct {
	// Name says what was drawn.
	Name string
	// Machine is the network; Jobs are the job in question and those beside it.
	Machine *topology.Topology
	Jobs    []evalsim.Job
	// Traffic is what the ranks of the job send each other; Allocation is what it was given.
	Traffic    *commgraph.Traffic
	Allocation *mapping.Allocation
	// Mapping is the slot of every rank.
	Mapping mapping.Mapping
	// Options of the simulation, with the sampling of the case.
	Options evalsim.Options
	// Causes are sorted by name; none = the job is about as fast as its own sends allow.
	Causes []string
	// Effect is, for each cause, the time with it over the time without it.
	Effect map[string]float64
}

// plan is what a case is to be: the causes that are wanted.
var plans = [][]string{nil, {ByMapping}, {ByOthers}, {ByPattern}, {ByMapping, ByOthers},
	{ByMapping, ByPattern}, {ByOthers, ByPattern}}

// Draw makes the case of a seed: seeds in turn ask for no cause, each of the three, and each pair.
func Draw(ctx context.Context, seed uint64) (*Case, error) {
	c, _, err := DrawFrom(ctx, seed, 0)
	return c, err
}

// DrawFrom is Draw that begins with a later attempt, and tells which attempt gave the case: who knows it
// saves the attempts before.
func DrawFrom(ctx context.Context, seed, first uint64) (c *Case, attempt uint64, err error) {
	wanted := plans[seed%uint64(len(plans))]
	for attempt = first; attempt < mostAttempts; attempt++ {
		d := &drawer{ctx: ctx, random: rand.New(rand.NewPCG(seed, attempt)), wanted: wanted}
		c, clear, err := d.draw()
		if err != nil {
			return nil, 0, fmt.Errorf("seed %d, attempt %d: %w", seed, attempt, err)
		}
		if clear {
			c.Options.Seed = seed + 1
			return c, attempt, nil
		}
	}
	return nil, 0, fmt.Errorf("seed %d: no case with the causes %v in %d attempts", seed, wanted, mostAttempts)
}

// balanced tells whether each cause of several has a clear part in the time lost.
func (c *Case) balanced() bool {
	total := 0.0
	for _, effect := range c.Effect {
		total += math.Log(effect)
	}
	for _, cause := range c.Causes {
		if len(c.Causes) > 1 && math.Log(c.Effect[cause]) < leastPart*total {
			return false
		}
	}
	return true
}

// drawer draws one case.
type drawer struct {
	ctx    context.Context
	random *rand.Rand
	wanted []string
	text   string // for people
}

func (d *drawer) wants(cause string) bool { return slices.Contains(d.wanted, cause) }

func (d *drawer) chance(p float64) bool { return d.random.Float64() < p }

func pick[T any](d *drawer, from []T) T { return from[d.random.IntN(len(from))] }

// note adds to the name of the case.
func (d *drawer) note(format string, arguments ...any) {
	if d.text != "" {
		d.text += "; "
	}
	d.text += fmt.Sprintf(format, arguments...)
}

// draw draws and labels a case; clear tells whether it has the causes that are wanted and no other.
func (d *drawer) draw() (c *Case, clear bool, err error) {
	c = &Case{Options: evalsim.DefaultOptions()}
	machine, err := topology.Parse(d.network())
	if err != nil {
		return nil, false, err
	}
	c.Machine = machine
	own, other := d.hosts(machine)
	program, err := d.program(len(own))
	if err != nil {
		return nil, false, err
	}
	if c.Traffic, err = program.Traffic(); err != nil {
		return nil, false, err
	}
	c.Allocation = &mapping.Allocation{Hosts: own}
	good, best, err := d.bestMapping(c, program)
	if err != nil {
		return nil, false, err
	}
	current := good
	if d.wants(ByMapping) {
		current = d.spoil(good)
	}
	c.Mapping = current
	c.Jobs = []evalsim.Job{{Program: program, Hosts: current.Hosts(c.Allocation)}}
	beside, err := d.others(machine, other)
	if err != nil {
		return nil, false, err
	}
	c.Options.Sampling = sampling.Reservoirs
	if d.chance(0.5) {
		if c.Options.Sampling, err = sampling.ParseVariant("one-reservoir"); err != nil {
			return nil, false, err
		}
		d.note("one reservoir")
	}
	clear, err = d.label(c, beside, best)
	return c, clear, err
}
