package feedback

import "remap/evalsim"

// SampledCongestion is the definition of congested under which samples tell most of
// others: a packet that waits behind more than one other. Queues longer than the credits
// of the next buffer, the usual definition, come only where a link carries all it can.
// Waits of any length (evalsim.WaitAbove) come nearer to what counters tell of others, but
// searches by them end slower on most jobs (docs/loop.md).
func SampledCongestion(packetBytes int) evalsim.Congestion {
	return evalsim.Congestion{Rule: evalsim.QueueAbove, Bytes: 2 * packetBytes}
}

// signs is what the job's own packets tell of others' traffic.
//
// If others keep a port busy a share G of the time, a packet of the job waits there with
// probability G, since packets arrive at all times. A share A of the packets meets congestion that
// the job makes itself. So the share that meets any congestion is F = 1 - (1-A)(1-G), and G follows
// from F and A.
//
// G is the share of the link's rate that others want: without the job they would still keep the
// port busy for that share (Taffet 2018, theorem 4.2: the link at the root of a congestion tree
// runs at its full rate). Ports that wait for room in full buffers beyond count as busy, as their
// queues stand.
//
// Packets cannot tell three things: the load of a link on which nobody waits, such as that of
// streams at half the rate; links that no mapping has used so far; and by how much others slow down
// a port that the job itself keeps busy.
type signs struct {
	// open (length links) is the packets over a link's class that would not meet congestion of the
	// job's own making.
	open []float64
	// met (length links) is how many of them met congestion of others. It may be below 0.
	met []float64
}

func newSigns(links int) *signs { return &signs{make([]float64, links), make([]float64, links)} }

// note takes how many packets crossed a link's class, which share of them met congestion, and which
// share meets congestion when the job is alone (own). A job that others slow down may meet less of
// its own congestion, so met may be below 0. With counts of several mappings, busy is then the
// maximum likelihood estimate for Poisson counts of packets that pass.
func (g *signs) note(link int, packets, congested, own float64) {
	packets = max(0, packets)
	g.open[link] = packets * (1 - own)
	g.met[link] = packets * (congested - own)
}

// busy is the share of time in which others keep a link's port busy.
func (g *signs) busy(link int) float64 { return share(g.met[link], g.open[link]) }

// add joins what another mapping's packets have met; the traffic of others stays where it is.
func (g *signs) add(o *signs) {
	for l := range g.open {
		g.open[l] += o.open[l]
		g.met[l] += o.met[l]
	}
}

// demand is the share of every link's rate that others want, from the packets of all mappings
// together. A link that no mapping has used counts as free: the mean over all links in its place
// gained no more on four scenarios.
func (g *signs) demand() []float64 {
	demand := make([]float64, len(g.open))
	for l := range demand {
		demand[l] = g.busy(l)
	}
	return demand
}

// share is part over whole, from 0 to 1; 0 where whole is not positive.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, part/whole))
}
