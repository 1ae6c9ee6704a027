package evalsim

import (
	"fmt"
	"math"
	"strings"

	"remap/sampling"
)

// Part holds what the packets of one job saw that arrived in one time slice and were sent by
// operations of one phase, tag and call site. A dimension that Options does not ask for is 0.
// Requests and answers belong to the part of their message.
type Part struct {
	Slice, Job, Phase, Tag, CallSite int
	JobStats

	// Samples is nil without sampling.
	Samples *sampling.Table
}

// Slices take 1 GiB of a run at most, tables and links' counts together: what
// comes after the last one is counted there.
const (
	maxSlices     = 1024
	maxPartsBytes = 1 << 30
	entryBytes    = 40      // a link in a table
	countBytes    = 48 + 56 // a link in a slice: linkCount, and LinkStats of the result
)

// parts tells whether samples are kept apart by slice or category.
func (o *Options) parts() bool { return o.SliceLength > 0 || o.apart() != nil }

// slicing is how samples are kept apart: those of a slice, job and category have
// table number slice x perSlice + first[job] + category.
type slicing struct {
	length   int64   // ps; 0 = a single slice
	last     int64   // number of the last possible slice
	first    []int32 // length jobs: a job's first table of a slice
	perSlice int32   // tables of a slice: the categories of all jobs
	tables   []*sampling.Table
	tally    []JobStats    // as tables; nil for one job without parts, whose counts are the whole
	before   []linkCount   // length links: counts at the end of the last complete slice
	slices   [][]linkCount // by complete slice, then link: counts within it
	sliced   int64         // ps: end of the last complete slice
	// lastWait is how long the packet that was sent last had waited, in ps: length links. It
	// is nil where a run has one slice and no endless job.
	lastWait []int64

	// earlier is the part of channel.area that belongs to earlier slices and was added to them
	// after their end: length links.
	earlier []float64
}

// newSlicing bounds what the parts of a run take.
func newSlicing(n *network, jobs []jobState, o *Options) (slicing, error) {
	s := slicing{length: o.SliceLength.Nanoseconds() * 1000, first: make([]int32, len(jobs))}
	for i := range jobs {
		if s.first[i] = s.perSlice; len(jobs[i].list) > math.MaxInt32-int(s.perSlice) {
			return s, fmt.Errorf("samples of %d jobs are in more than %d categories", len(jobs), math.MaxInt32)
		}
		s.perSlice += int32(len(jobs[i].list))
	}
	if !o.parts() {
		return s, nil
	}
	slice := int64(n.links) * int64(s.perSlice) * entryBytes
	if slice > maxPartsBytes {
		return s, fmt.Errorf("samples of %d links by job, %s are in %d categories, %.1f GiB, at most 1 is allowed",
			n.links, strings.Join(o.apart(), ", "), s.perSlice, float64(slice)/(1<<30))
	}
	slice += int64(n.links) * countBytes
	most := int64(maxSlices)
	if o.MaxSlices > 0 {
		most = min(most, int64(o.MaxSlices))
	}
	if s.length > 0 {
		s.last = max(1, min(most, maxPartsBytes/max(1, slice))) - 1
	}
	return s, nil
}

// resetSlices forgets the last run and makes the tables of the first slice.
func (s *simulator) resetSlices() {
	if len(s.tables) > int(s.perSlice) {
		s.tables = s.tables[:s.perSlice]
	}
	for _, t := range s.tables {
		t.Reset()
	}
	s.tally, s.slices, s.before, s.sliced = s.tally[:0], nil, nil, 0
	s.growTables(s.perSlice)
	if s.last > 0 {
		s.before, s.earlier = make([]linkCount, s.links), make([]float64, s.links)
		s.wakeSlice(s.length)
	}
}

// growTables makes tables 0..count-1 be there.
func (s *simulator) growTables(count int32) {
	if s.carries != carriesNothing {
		for len(s.tables) < int(count) {
			s.tables = append(s.tables, sampling.NewTable(s.options.Sampling, s.links))
		}
	}
	if len(s.jobs) != 1 || s.options.parts() {
		for len(s.tally) < int(count) {
			s.tally = append(s.tally, JobStats{})
		}
	}
}

// tableOf is the table, in the first slice, of the message of a job's operation.
func (s *simulator) tableOf(job uint16, op int32) int32 {
	table := s.first[job]
	if of := s.jobs[job].opCategory; of != nil {
		table += of[op]
	}
	return table
}

// eachTable visits tables 0..count-1 in their order.
func (s *simulator) eachTable(count int, visit func(table, slice, job int, c category)) {
	for table, slice := 0, 0; table < count; slice++ {
		for j := range s.jobs {
			for _, c := range s.jobs[j].list {
				visit(table, slice, j, c)
				table++
			}
		}
	}
}

// sliceTables is the number of the first table of the slice of a time.
func (s *simulator) sliceTables(now int64) int32 {
	slice := min(now/s.length, s.last)
	first := int32(slice) * s.perSlice
	if int(first) >= len(s.tally) {
		s.growTables(first + s.perSlice)
	}
	return first
}

// sliceEnd is the timer of a slice's end, where ranks have numbers from 0 on.
const sliceEnd = math.MinInt32

func (s *simulator) wakeSlice(at int64) {
	s.timers.push(timer{at: at, number: math.MaxInt64, rank: sliceEnd})
}

// endSlice counts what every link has done since the end of the slice before,
// and asks for the next end if there is still something to do.
func (s *simulator) endSlice(now int64) {
	s.slices = append(s.slices, s.sinceBefore(now))
	s.sliced = now
	if int64(len(s.slices)) < s.last && (s.created != s.received || len(s.timers) > 0) {
		s.wakeSlice(now + s.length)
	}
}

// sinceBefore are the counts at a time since the last complete slice, which it moves up.
func (s *simulator) sinceBefore(now int64) []linkCount {
	counts := make([]linkCount, s.links)
	if len(s.before) == 0 { // a single slice
		s.before, s.earlier = make([]linkCount, s.links), make([]float64, s.links)
	}
	for i := range counts {
		link := int32(i)
		count := s.countsAt(link, now)
		count.area -= s.earlier[i]
		counts[i] = count.minus(&s.before[i])
		s.before[i] = count
		if link >= s.hostLinks { // injection links have no peak
			s.channels[link*s.virtual].peak = s.waiting(link, now)
		}
	}
	return counts
}

// takeParts gives the result its parts and slices, and the simulator leaves
// them to it.
func (s *simulator) takeParts(r *Result) {
	if s.length > 0 {
		s.takeSlices(r)
	}
	s.eachTable(len(s.tally), func(i, slice, job int, c category) {
		p := Part{Slice: slice, Job: job, Phase: int(c.phase), Tag: int(c.tag), CallSite: int(c.callSite),
			JobStats: s.tally[i]}
		if s.carries != carriesNothing {
			p.Samples = s.tables[i]
		}
		r.Parts = append(r.Parts, p)
	})
	s.tables = s.tables[:0]
}

// takeSlices gives the result the slices up to the makespan, or to the last
// packet where requests that nobody answers travel on after it.
func (s *simulator) takeSlices(r *Result) {
	end := s.end()
	arrivals := int64(len(s.tally)) / int64(max(1, s.perSlice))
	count := max(min(end/s.length, s.last)+1, arrivals)
	s.growTables(int32(count) * s.perSlice)
	for int64(len(s.slices)) < count {
		s.slices = append(s.slices, s.sinceBefore(end))
	}
	for i, counts := range s.slices[:count] {
		length := s.length
		if rest := end - int64(i)*length; int64(i) == count-1 && rest >= 0 {
			length = rest
		}
		links := make([]LinkStats, s.links)
		for k := range links {
			links[k] = s.stats(int32(k), &counts[k], float64(max(length, 1)))
			r.Links[k].QueueMax = max(r.Links[k].QueueMax, links[k].QueueMax)
		}
		r.Slices = append(r.Slices, links)
	}
}

// jobResults fills in what every job has seen, over all slices and categories.
func (s *simulator) jobResults(r *Result) {
	r.Jobs = make([]JobStats, len(s.jobs))
	if len(s.jobs) == 1 && s.tally == nil {
		r.Jobs[0] = JobStats{Packets: r.Packets, PortHops: r.PortHops, Congested: r.Congested}
	}
	if s.carries != carriesNothing {
		r.Samples = make([]*sampling.Table, len(s.jobs))
		for i := range r.Samples {
			r.Samples[i] = sampling.NewTable(s.options.Sampling, s.links)
		}
	}
	s.eachTable(len(s.tally), func(i, _, job int, _ category) { r.Jobs[job].add(&s.tally[i]) })
	s.eachTable(len(s.tables), func(i, _, job int, _ category) { r.Samples[job].Merge(s.tables[i]) })
}

func (j *JobStats) add(o *JobStats) {
	j.Packets += o.Packets
	j.PortHops += o.PortHops
	j.Congested += o.Congested
}

// Administrator is what the receivers of all jobs have concluded together; nil
// without sampling.
func (r *Result) Administrator() *sampling.Table {
	var whole *sampling.Table
	for _, t := range r.Samples {
		if whole == nil {
			whole = sampling.NewTable(t.Variant, len(t.Links))
		}
		whole.Merge(t)
	}
	return whole
}
