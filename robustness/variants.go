package robustness

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// Condition is a model of the network and of the other jobs.
type Condition struct {
	// Name tells what is changed; AsSearched = nothing.
	Name    string
	Options evalsim.Options
	// Program is that of the job.
	Program *workload.Program
	// Others are the jobs beside it.
	Others []evalsim.Job
	// Level: what differs is how much other jobs send.
	Level bool
}

// AsSearched is the name of the model that the search has used.
const AsSearched = "as searched"

const (
	mostPacket  = 65536   // bytes, as evalsim.Options takes them
	mostBuffer  = 1 << 28 // bytes, as evalsim.Options takes them
	leastPacket = 64      // bytes; smaller ones are headers
)

// Conditions are the model of the search, then what it becomes when one thing is changed: sizes of
// buffers and packets by a factor of four, as far as the simulator takes them, routing, switching,
// the number of steps from a cold start, the size of the job's messages, and the level and the
// partners of other jobs.
func Conditions(o evalsim.Options, routes *topology.Routes, program *workload.Program,
	others []evalsim.Job) []Condition {
	variants := []Condition{{Name: AsSearched, Options: o, Program: program, Others: others}}
	add := func(name string, change func(*evalsim.Options)) {
		changed := o
		change(&changed)
		if changed != o {
			variants = append(variants,
				Condition{Name: name, Options: changed, Program: program, Others: others})
		}
	}
	for _, bytes := range []int{max(o.BufferBytes/4, 2*o.PacketBytes), min(o.BufferBytes*4, mostBuffer)} {
		add(fmt.Sprintf("buffer-bytes %d", bytes), func(c *evalsim.Options) { c.BufferBytes = bytes })
	}
	smaller := min(o.PacketBytes, max(o.PacketBytes/4, leastPacket))
	for _, bytes := range []int{smaller, min(o.PacketBytes*4, o.BufferBytes/2, mostPacket)} {
		add(fmt.Sprintf("packet-bytes %d", bytes), func(c *evalsim.Options) { c.PacketBytes = bytes })
	}
	for _, r := range otherRoutings(o.Routing, routes) {
		add("routing "+r.String(), func(c *evalsim.Options) { c.Routing = r })
	}
	for _, s := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
		add("switching "+s.String(), func(c *evalsim.Options) { c.Switching = s })
	}
	for _, steps := range stepsToCheck {
		if program.Smaller == nil || steps == 1 { // else a step is long
			add(fmt.Sprintf("steps %d", steps), func(c *evalsim.Options) { c.Steps = steps })
		}
	}
	variants = append(variants,
		Condition{Name: "messages a tenth", Options: o, Program: program.WithMessages(0.1), Others: others},
		Condition{Name: "messages ten times", Options: o, Program: program.WithMessages(10), Others: others})
	if len(others) == 0 {
		return variants
	}
	return append(variants,
		Condition{Name: "background none", Options: o, Program: program, Level: true},
		Condition{Name: "background half", Options: o, Program: program, Others: halved(others), Level: true},
		Condition{Name: "background twice", Options: o, Program: program, Others: doubled(others), Level: true},
		Condition{Name: "background of other partners", Options: o, Program: program,
			Others: elsewhere(others, o.Seed)})
}

// stepsToCheck are the lengths of jobs that begin cold.
var stepsToCheck = []int{1, 3, 10, 30}

// elsewhere are jobs whose ranks sit on others of their hosts, so that other hosts talk to
// each other.
func elsewhere(jobs []evalsim.Job, seed uint64) []evalsim.Job {
	moved := slices.Clone(jobs)
	random := rand.New(rand.NewPCG(seed, 0x70617274))
	for i := range moved {
		moved[i].Hosts = slices.Clone(jobs[i].Hosts)
		random.Shuffle(len(moved[i].Hosts), func(a, b int) {
			moved[i].Hosts[a], moved[i].Hosts[b] = moved[i].Hosts[b], moved[i].Hosts[a]
		})
	}
	return moved
}

// otherRoutings are those under which packets could take other paths than under this one.
func otherRoutings(this evalsim.Routing, routes *topology.Routes) []evalsim.Routing {
	minimal := []evalsim.Routing{evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket, evalsim.FlowHash,
		evalsim.Static}
	all := minimal
	if !hasChoice(routes) { // all of these are the same
		all = minimal[:1]
		if slices.Contains(minimal, this) {
			this = minimal[0]
		}
	}
	if len(routes.Intermediate) > 0 {
		all = slices.Concat(all, []evalsim.Routing{evalsim.Valiant, evalsim.UGAL})
	}
	return slices.DeleteFunc(slices.Clone(all), func(r evalsim.Routing) bool { return r == this })
}

// hasChoice tells whether any switch has several candidates for the next hop to another switch.
func hasChoice(routes *topology.Routes) bool {
	if routes.Grouped() {
		for g := range len(routes.Offsets) - 1 {
			if routes.Offsets[g+1]-routes.Offsets[g] > 1 {
				return true
			}
		}
		return false
	}
	// Lists are made for the call. Only a full mesh has no pair with two candidates;
	// it has as many pairs as links.
	var scratch [8]int32
	for at := range int32(routes.Switches) {
		for to := range int32(routes.Switches) {
			if at != to && len(routes.CandidatesIn(scratch[:], at, to)) > 1 {
				return true
			}
		}
	}
	return false
}

// halved are jobs of half the level: those that end have half the volume, those
// that do not are silent half of the time that sending at full rate would take.
func halved(jobs []evalsim.Job) []evalsim.Job {
	halves := slices.Clone(jobs)
	for i := range halves {
		if jobs[i].Endless {
			halves[i].Program = withPauses(jobs[i].Program)
		} else {
			halves[i].Program = multiplied(jobs[i].Program, 0.5)
		}
	}
	return halves
}

// doubled are jobs of twice the level: those that end have twice the volume, of
// those that do not there are two on the same hosts. A host that sends all that
// its link carries cannot send more.
func doubled(jobs []evalsim.Job) []evalsim.Job {
	var twice []evalsim.Job
	for _, j := range jobs {
		if j.Endless {
			twice = append(twice, j, j)
			continue
		}
		j.Program = multiplied(j.Program, 2)
		twice = append(twice, j)
	}
	return twice
}

// multiplied is a program with all its volumes and computing times times factor.
func multiplied(p *workload.Program, factor float64) *workload.Program {
	q := *p
	if q.Smaller != nil {
		q.Smaller = multiplied(q.Smaller, factor)
	}
	// Sizes from which messages ask first are those before scaling.
	q.SizeScale = cmp.Or(q.SizeScale, 1) * factor
	q.Ops = slices.Clone(p.Ops)
	for i := range q.Ops {
		if op := &q.Ops[i]; op.Kind != workload.Wait && op.Bytes > 0 { // a wait has a number there
			op.Bytes = max(1, int64(math.Round(float64(op.Bytes)*factor)))
		}
	}
	return &q
}

// withPauses is an endless program at half its rate: every rank is silent for as
// long as it would send at full rate, and computes and idles twice as long. Part
// of each pause comes before its message, another part for every rank, so that
// pauses do not fall together: multiples of the golden ratio spread evenly,
// whatever the stride (Knuth 1973, section 6.4).
func withPauses(p *workload.Program) *workload.Program {
	q := &workload.Program{Offsets: make([]int32, 1, len(p.Offsets)), Phases: p.Phases, Grid: p.Grid,
		VolumeScale: p.VolumeScale, Warning: p.Warning}
	for r := range int32(p.Ranks()) {
		_, part := math.Modf(float64(r) * math.Phi)
		for _, op := range p.RankOps(r) {
			before := int64(part * float64(op.Bytes))
			pause := workload.Op{Kind: workload.Idle, Phase: op.Phase, Bytes: before}
			switch op.Kind {
			case workload.Send:
				q.Ops = append(q.Ops, pause, op)
				pause.Bytes = op.Bytes - before
				q.Ops = append(q.Ops, pause)
			default: // an endless program else idles and computes
				op.Bytes *= 2
				q.Ops = append(q.Ops, op)
			}
		}
		q.Offsets = append(q.Offsets, int32(len(q.Ops)))
	}
	return q
}
