package evalsim

import (
	"fmt"
	"math"

	"remap/workload"
)

// A job's program is one of its steps: what a solver does in an iteration, or a training
// job for a batch. Every rank begins its next step when its part of the one in hand is
// over, so that ranks drift apart as they do in a job that runs for hours; a program
// that receives waits for others where it says so. A step is complete when all ranks are
// through with it and all its messages have arrived.
//
//	ends of steps   |----1----|---2---|--3---|--4---|
//	                 the first half of the steps is left out
//	time of a step            |--mean of the rest---|
//
// Options.Steps is how many steps are played; 0 = until their times are steady. The first
// steps, which begin in an empty network with all ranks at once, then do not count.

// jobSteps is how far a job is with its steps. Slot k has step k modulo stepWindow.
type jobSteps struct {
	ranks  int64
	most   int               // steps after which the job is over; 0 = when they are steady
	done   int               // complete steps
	open   [stepWindow]int64 // ranks not through with the step, and its messages under way
	latest [stepWindow]int64 // ps: latest end of anything in the step
	ends   []int64           // by step, ps: when it was complete
	parked []int32           // ranks that wait until they may begin a step
	over   bool
}

// stepping is the steps of all jobs.
type stepping struct {
	stepsOf []jobSteps // length jobs; of endless ones unused
	undone  int        // jobs that are not over
	repeats bool       // some go on until the run ends
	stopped bool       // the run ended while they did
	stopAt  int64      // ps: when the run ended
}

// startSteps brings all jobs before their first step.
func (s *simulator) startSteps() {
	if s.stepsOf == nil {
		s.stepsOf = make([]jobSteps, len(s.jobs))
	}
	s.undone, s.repeats, s.stopped, s.stopAt = 0, false, false, 0
	for i := range s.jobs {
		j, job := &s.stepsOf[i], &s.jobs[i]
		*j = jobSteps{ranks: int64(job.Program.Ranks()), most: job.steps, ends: j.ends[:0], parked: j.parked[:0]}
		for slot := range j.open {
			j.open[slot] = j.ranks
		}
		switch {
		case job.Endless:
			s.repeats = true
		case j.ranks == 0:
			j.over = true
		default:
			s.undone++
			s.repeats = s.repeats || j.most == 0
		}
	}
}

// slotOf is the slot of the step that a rank is in.
func (s *simulator) slotOf(r int32) uint8 { return uint8(s.ranks[r].step % stepWindow) }

// reach counts a time into a rank's step, and into its job's elapsed time.
func (s *simulator) reach(r int32, at int64) { s.reachStep(s.ranks[r].job, s.slotOf(r), at) }

func (s *simulator) reachStep(job uint16, slot uint8, at int64) {
	s.elapsed[job] = max(s.elapsed[job], at)
	j := &s.stepsOf[job]
	j.latest[slot] = max(j.latest[slot], at)
}

// endStep is called when a rank is through with its step.
func (s *simulator) endStep(r int32, now int64) {
	k := &s.ranks[r]
	j, slot := &s.stepsOf[k.job], s.slotOf(r)
	k.step++
	if j.most == 0 || int(k.step) < j.most {
		if int(k.step)-j.done < stepWindow {
			s.nextStep(r, now)
		} else {
			j.parked = append(j.parked, r)
		}
	}
	s.less(k.job, slot, now)
}

// nextStep has a rank begin its program again.
func (s *simulator) nextStep(r int32, at int64) {
	k := &s.ranks[r]
	job := &s.jobs[k.job]
	k.op = job.Program.Offsets[r-job.firstRank] - 1
	if len(s.parties) > 0 {
		s.parties[r].base = s.parties[r].made
	}
	s.wake(r, at)
}

// less takes a rank or a message out of a step in hand, and closes steps that are complete.
func (s *simulator) less(job uint16, slot uint8, now int64) {
	j := &s.stepsOf[job]
	if j.open[slot]--; j.open[slot] > 0 || int(slot) != j.done%stepWindow || j.most > 0 && j.done == j.most {
		return
	}
	for j.open[j.done%stepWindow] == 0 && (j.most == 0 || j.done < j.most) {
		slot := j.done % stepWindow
		end := j.latest[slot]
		if j.done > 0 {
			end = max(end, j.ends[j.done-1])
		}
		j.ends = append(j.ends, end)
		j.open[slot], j.latest[slot] = j.ranks, 0
		j.done++
		s.closeStep(j, &s.jobs[job])
	}
	parked := j.parked
	j.parked = j.parked[:0]
	for _, r := range parked {
		s.nextStep(r, now)
	}
}

// closeStep tells whether a job is over with a complete step.
func (s *simulator) closeStep(j *jobSteps, job *jobState) {
	if j.over {
		return
	}
	if j.most > 0 {
		j.over = j.done == j.most
	} else {
		least := job.steadySteps
		j.over = j.done >= least*steadyPatience || j.done >= least && math.Abs(j.drift()) <= steadyDifference
	}
	if j.over {
		if s.undone--; s.undone == 0 {
			s.stopAt = j.ends[j.done-1]
		}
	}
}

// stop ends a run whose jobs are over while some go on.
func (s *simulator) stop() {
	s.close()
	s.stopped = true
	for i := range s.stepsOf {
		if s.jobs[i].Endless || s.stepsOf[i].most == 0 {
			s.elapsed[i] = max(s.stopAt, 1)
		}
	}
}

// warmUp is how many of a number of steps are left out.
func warmUp(steps int) int { return steps / 2 }

// between is the mean time of the steps from number first to before end, in ps.
func (j *jobSteps) between(first, end int) float64 {
	from := int64(0)
	if first > 0 {
		from = j.ends[first-1]
	}
	return float64(j.ends[end-1]-from) / float64(end-first)
}

// drift is by how much the later half of the steps that count takes longer than the
// earlier half, relative to all that count.
func (j *jobSteps) drift() float64 {
	warm := warmUp(j.done)
	half := (j.done - warm) / 2
	all := j.between(warm, j.done)
	if all <= 0 {
		return 0
	}
	return (j.between(j.done-half, j.done) - j.between(warm, warm+half)) / all
}

// stepTime is the time of a step of a job in ns; drift is 0 where a number of steps was
// asked for.
func (s *simulator) stepTime(job int) (time, drift float64, steps int) {
	j := &s.stepsOf[job]
	switch {
	case s.jobs[job].Endless || j.done == 0 || j.most > j.done:
		return float64(s.elapsed[job]) / 1000 / float64(max(1, j.most)), 0, j.done
	case j.most > 0:
		return j.between(0, j.done) / 1000, 0, j.done
	}
	return j.between(warmUp(j.done), j.done) / 1000, j.drift(), j.done
}

// unfinishedStep is the error of a run that came to its end before a job was over: its
// step leaves something behind that no later one takes.
func (s *simulator) unfinishedStep() error {
	for i := range s.stepsOf {
		if j := &s.stepsOf[i]; !j.over && !s.jobs[i].Endless && j.most != 1 {
			return fmt.Errorf("job %d cannot repeat its program: step %d does not end; %s",
				i, j.done+1, s.unreceived())
		}
	}
	return nil
}

// steadySteps is the least number of steps of a program in steady state. O(operations).
func steadySteps(p *workload.Program, o *Options) int {
	if o.SteadySteps > 0 {
		return o.SteadySteps
	}
	packets := 0.0
	for _, op := range p.Ops {
		if op.Kind.IsSend() {
			packets += math.Ceil(float64(op.Bytes) / float64(o.PacketBytes))
		}
	}
	wanted := settlingPackets * float64(p.Ranks()) / max(1, packets)
	return int(min(max(fewestSteps, math.Ceil(wanted)), longestWarm))
}

// queuedPackets is how many packets wait at switch ports.
func (s *simulator) queuedPackets() (count int64) {
	for id := int(s.hostLinks * s.virtual); id < len(s.channels); id++ {
		for p := s.channels[id].head; p >= 0; p = s.packets[p].next {
			count++
		}
	}
	return count
}
