// Package job makes a job of what a user says about it: the network, the hosts, the traffic, the
// other jobs beside it, and what a mapping is to keep. It is the one place where these parts are
// opened, scaled to one volume and tested against each other; the command line and ready-made
// scenarios both use it.
//
// Open reads and checks everything. Job.Problem is the job as strategies take it, Job.Jobs as
// the simulator does; package remap runs the feedback loop on it.
package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"remap/commgraph"
	"remap/evalsim"
	"remap/launcher"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// Job is a machine, the hosts given, and what the ranks say to each other.
type Job struct {
	// Name is the pattern or the file of the traffic.
	Name string
	// Machine is the network.
	Machine *topology.Topology
	// Allocation has the job's hosts and slots.
	Allocation *mapping.Allocation
	// Recorded: the traffic is recorded, not a pattern.
	Recorded bool
	// Traffic is what was recorded, or the pattern's, at full volume.
	Traffic *commgraph.Traffic
	// Graph is Traffic with both directions of a pair added.
	Graph *commgraph.Graph
	// Whole is Traffic in time, for bounds and phases; of recorded traffic it has one message a pair.
	Whole *workload.Program
	// Program is what is simulated: Program.VolumeScale of the volume.
	Program *workload.Program
	// Phases is the traffic of each phase; nil = one phase, or not told apart.
	Phases []*commgraph.Traffic
	// Grid is the process grid; nil = unknown.
	Grid []int
	// Coordinates say where ranks lie; nil = unknown.
	Coordinates *commgraph.Coordinates
	// Background are the other jobs in the network.
	Background []Background
	// Previous is the mapping that the job has; nil = the identity.
	Previous mapping.Mapping
	// Objective is what mappings are to make small.
	Objective mapping.Objective
	// Fixed has the slot that a rank must keep, -1 = free; nil = all free.
	Fixed []int32
	// MaxMoves is how many ranks may move; 0 = no limit.
	MaxMoves int
	// Routing is that of loads of links and bounds.
	Routing mapping.RoutingModel
	// Simulation are the simulator's options.
	Simulation evalsim.Options
	// PacketBytes is the size of the largest packet.
	PacketBytes int
	// MaxPackets is the limit of packets a rank.
	MaxPackets int64
	// Warnings are what had to be assumed, and options that change nothing, one line each.
	Warnings []string
}

func (j *Job) warn(format string, args ...any) {
	j.Warnings = append(j.Warnings, fmt.Sprintf(format, args...))
}

// Open makes a job of the options and tests that its parts fit together. With an error the job
// has nothing but Warnings.
func Open(o Options) (*Job, error) {
	j := &Job{}
	if err := j.open(&o); err != nil {
		return &Job{Warnings: j.Warnings}, err
	}
	return j, nil
}

func (j *Job) open(o *Options) (err error) {
	j.Name, j.Recorded, j.PacketBytes, j.MaxPackets = o.Pattern, o.IsRecorded(), o.PacketBytes, o.MaxPackets
	if j.Recorded {
		j.Name = o.GraphName()
	}
	if o.Topology != "" { // without one, that is the first mistake
		if j.Simulation, err = o.SimulatorOptions.Options(); err != nil {
			return err
		}
	}
	j.Routing = mapping.RoutingNamed(j.Simulation.Routing.String())
	if err := j.openNetwork(o); err != nil {
		return err
	}
	if j.Background, err = parseBackground(o); err != nil {
		return err
	}
	taken := make(occupancy, j.Machine.Hosts())
	if err := j.claimNamed(taken); err != nil {
		return err
	}
	file, err := j.openHosts(o, taken)
	if err != nil {
		return InOption("hosts", err)
	}
	if err := j.loadTraffic(o); err != nil {
		return err
	}
	if err := clipSlots(j.Allocation, j.Traffic.Ranks(), file); err != nil {
		return InOption("hosts", err)
	}
	if err := j.fits(o); err != nil {
		return err
	}
	if err := j.placeBackground(o.RanksPerHost, taken); err != nil {
		return err
	}
	j.scaleBackground()
	if o.Previous != "" {
		if j.Previous, err = j.ReadMapping(o.Previous); err != nil {
			return InOption("previous", err)
		}
	}
	return j.loadGoal(o)
}

// fits tests that every rank finds a slot, and says what would help.
func (j *Job) fits(o *Options) error {
	err := j.Problem(o.Seed).Check()
	var few *mapping.TooFewSlots
	if !errors.As(err, &few) {
		return err
	}
	perHost := (few.Ranks + few.Hosts - 1) / max(1, few.Hosts)
	hint := fmt.Sprintf("%d slots a host (--ranks-per-host %d)", perHost, perHost)
	if spare := j.Machine.Hosts() - few.Hosts; spare > 0 {
		per := max(1, o.RanksPerHost)
		if needed := (few.Ranks + per - 1) / per; needed <= j.Machine.Hosts() {
			hint = fmt.Sprintf("%d hosts of %d slots would do, or %s", needed, per, hint)
		}
	}
	return Failure(hint, "%w", err)
}

// loadGoal reads what the mapping is for, and what must stay.
func (j *Job) loadGoal(o *Options) (err error) {
	if o.Objective != "" {
		if j.Objective, err = mapping.ParseObjective(o.Objective); err != nil {
			return InOption("objective", err)
		}
	}
	if j.MaxMoves = o.MaxMoves; o.Fixed != "" {
		if j.Fixed, err = j.readFixed(o.Fixed); err != nil {
			return InOption("fixed", err)
		}
	}
	return nil
}

// readFixed reads ranks that must stay: a list, or a file.
func (j *Job) readFixed(text string) ([]int32, error) {
	if _, err := os.Stat(text); err != nil && strings.ContainsRune(text, '=') {
		return mapping.ParseFixed(text, j.Machine, j.Allocation, j.Traffic.Ranks())
	}
	file, err := commgraph.OpenFile(text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Failure("a list has entries RANK=HOST:SLOT, for example 0=n3:0,5=n4; a file's path is "+
			"relative to the folder the command runs in", "%w", err)
	case err != nil:
		return nil, err
	}
	defer file.Close()
	return mapping.ReadFixed(text, file, j.Machine, j.Allocation, j.Traffic.Ranks())
}

// ReadMapping reads a mapping of the job's ranks from a file, in any format of a launcher.
func (j *Job) ReadMapping(path string) (mapping.Mapping, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return launcher.Read(path, file, "", j.Machine, j.Allocation, j.Traffic.Ranks())
}

// Problem is the job as strategies take it.
func (j *Job) Problem(seed uint64) *mapping.Problem {
	return &mapping.Problem{Graph: j.Graph, Traffic: j.Traffic, Phases: j.Phases, Grid: j.Grid,
		Coordinates: j.Coordinates, Machine: j.Machine, Allocation: j.Allocation, Start: j.Previous,
		Fixed: j.Fixed, MaxMoves: j.MaxMoves, Objective: j.Objective, Routing: j.Routing, Seed: seed}
}

// Start is the mapping that the job begins with: the previous one, or the identity.
func (j *Job) Start() mapping.Mapping {
	if j.Previous != nil {
		return j.Previous
	}
	return mapping.Identity(j.Traffic.Ranks())
}

// StartName is what to call it.
func (j *Job) StartName() string {
	if j.Previous != nil {
		return "previous"
	}
	return "identity"
}

// Jobs is the mapped job, and the others behind it, as the simulator takes them.
func (j *Job) Jobs(m mapping.Mapping) []evalsim.Job {
	return append([]evalsim.Job{{Program: j.Program, Hosts: m.Hosts(j.Allocation)}}, j.Others()...)
}

// Costs are the static costs of a mapping, under a strategy's name.
func (j *Job) Costs(name string, m mapping.Mapping) (mapping.Costs, error) {
	c, err := j.Routing.Evaluate(j.Machine, j.Allocation, j.Traffic, m, j.Previous)
	c.Strategy = name
	return c, err
}
