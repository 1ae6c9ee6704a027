package evalsim

import (
	"remap/sampling"
	"remap/workload"
)

// Job is a program and the hosts of its ranks.
type Job struct {
	// Program is what every rank does.
	Program *workload.Program

	// Hosts is the topology host of every rank: length ranks.
	Hosts []int32

	// Endless makes every rank begin its program again at its end: traffic that is always
	// there. The simulation stops when all other jobs are done; packets that are then on
	// their way never arrive. If the other jobs make no progress, it stops with a
	// *StarvedError. An endless program has only Send, Idle and Compute operations.
	Endless bool
}

// FlowStats are the counts that the receiver of one ordered pair of ranks has.
type FlowStats struct {
	// Packets is the number of packets received.
	Packets int64

	// Hops is the number of switch output ports crossed, summed over packets.
	Hops int64

	// CongestedHops is how many of these ports were congested.
	CongestedHops int64
}

// JobStats are the exact counts of one job's packets.
type JobStats struct {
	// Packets is the number of packets delivered.
	Packets int64

	// PortHops is the number of switch output ports that they crossed, at most 255 a packet.
	PortHops int64

	// Congested is how many of these ports were congested, at most 255 a packet.
	Congested int64
}

// LinkStats are the exact counts of one directed link, over the makespan or over a time
// slice. A packet, with the time it stalled, counts when the link begins to send it.
type LinkStats struct {
	Bytes   int64
	Packets int64

	// Congested is the number of packets that found the link's port congested; 0 on
	// injection links.
	Congested int64

	// Busy is the fraction of the time in which the link was sending.
	Busy float64

	// Stalled is the fraction of the time in which the link was free and had a packet
	// ready, but no credit. It is a hundredth of the percent time stalled
	// P_Ts = 100 T_is/T_i of credit stalls that Monet measures (Jha et al. 2020,
	// definitions 1 and 3).
	Stalled float64

	// QueueMean is the number of bytes that wait in the port's queue, over all its virtual
	// channels, averaged over the time. On injection links it is the bytes of messages that
	// have not left the host.
	QueueMean float64

	// QueueMax is the largest number of bytes that waited there at one time; 0 on injection
	// links.
	QueueMax int64
}

// OwnLink are the exact counts of the first job's packets at a switch's output port. A
// packet counts when it joins the queue, with Congestion.At = AtDeparture when it leaves
// it. All are 0 on injection links.
type OwnLink struct {
	Bytes   int64
	Packets int64

	// Congested is the number of packets that found the port congested.
	Congested int64
}

// Result is what one run measured. Counts and times are of what was simulated, which is less
// than the full volume where VolumeScale is below 1; Full holds the times at full volume.
type Result struct {
	// Makespan is the longest Elapsed of all jobs, in ns.
	Makespan float64

	// Elapsed is the time of all steps, in ns: length jobs. A job ends with the latest of
	// the arrivals of its messages (last byte at the receiving host) and of the ends of its
	// Compute, Receive, Wait and WaitAll operations. An Idle at a program's end does not
	// count.
	Elapsed []float64

	// StepTime is the time of a step, in ns (steps.go): length jobs. It is Elapsed where one
	// step was asked for.
	StepTime []float64

	// Steps is the number of complete steps: length jobs; 0 of endless jobs.
	Steps []int

	// Drift is how much longer the later half of the counted steps took than the earlier
	// half, as a fraction: length jobs. It is 0 unless the steps went on until they were
	// steady.
	Drift []float64

	// Full is Elapsed at the full volume, in ns (fullvolume.go): length jobs. It is Elapsed
	// itself where the program was not scaled down.
	Full []float64

	// FullMakespan is the longest Full of all jobs, in ns.
	FullMakespan float64

	// FullError is the relative error of each Full that is due to extrapolation, without the
	// scatter of repeats: length jobs; 0 where the program was not scaled down.
	FullError []float64

	// Small is Elapsed of Program.Smaller, in ns: length jobs; nil where no program was
	// scaled down.
	Small []float64

	// VolumeScale is the share of the first job's full volume that was simulated.
	VolumeScale float64

	// Jobs are the counts of every job: length jobs.
	Jobs []JobStats

	// Links are the counts of every directed link: length links.
	Links []LinkStats

	// Own is the first job's part of Links: length links; nil without Options.OwnLinks.
	Own []OwnLink

	// Flows are the counts of every pair of ranks, by job, in the order of the entries of
	// Program.Traffic; nil without Options.FlowCounts.
	Flows [][]FlowStats

	// Samples are the receivers' tables of every job, over all slices, phases, tags and call
	// sites; nil without sampling.
	Samples []*sampling.Table

	// Parts are the samples by slice, then job, then phase, tag and call site; those without
	// sends have no part. It is nil unless Options.SliceLength, ByPhase, ByTag or ByCallSite
	// is set.
	Parts []Part

	// Slices are the counts of every link in every slice: by slice, then link; nil without
	// Options.SliceLength.
	Slices [][]LinkStats

	// Latencies is nil without Options.Latencies.
	Latencies *Latencies

	// Packets is the number of packets of all jobs that were delivered.
	Packets int64

	// PacketHops is the number of links that packets crossed, links of hosts included.
	PacketHops int64

	// PortHops is the number of switch output ports that packets crossed.
	PortHops int64

	// Congested is how many of these ports were congested.
	Congested int64

	// Events is the number of events of the event loop, a measure of the run's cost.
	Events int64

	// Credits tells which credits were timed: CreditsExact or CreditsNewest.
	Credits Credits

	// Warnings are problems that did not stop the run, such as messages that no receive took;
	// usually nil.
	Warnings []string
}
