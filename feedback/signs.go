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

// signs is what the job's own packets say of others' traffic.
//
// A port that others keep busy a share G of the time lets a packet of the job wait with
// probability G, since packets come at all times. Of the packets, a share A meets
// congestion of the job's own making. So the share that meets any is
// F = 1 - (1-A)(1-G), of which G follows. It is what others want of the link: with the job
// gone they would still keep the port busy for that share (Taffet 2018, theorem 4.2: the
// link at the root of a congestion tree runs at its full rate). Ports that wait for room
// in full buffers beyond count as busy, as their queues stand.
//
// What packets cannot tell: the load of a link on which nobody waits, such as that of streams
// at half the rate; links that no mapping so far has used; and by how much others slow
// down a port that the job itself keeps busy.
type signs struct {
	open []float64 // length links: packets over its class that would not meet congestion of the job's own making
	met  []float64 // length links: those of them that met congestion, others' part: may be below 0
}

func newSigns(links int) *signs { return &signs{make([]float64, links), make([]float64, links)} }

// note takes how many packets crossed a link's class, which share of them met congestion,
// and which share does so by the job's own making. A job that others slow down may meet less of
// its own congestion, so that met is below 0: packets that pass count wherever they pass. With
// counts of several mappings, busy is then the estimate of maximum likelihood for Poisson's
// counts of packets that pass.
func (g *signs) note(link int, packets, congested, own float64) {
	packets = max(0, packets)
	g.open[link] = packets * (1 - own)
	g.met[link] = packets * (congested - own)
}

// busy is the share of time in which others keep a link's port busy.
func (g *signs) busy(link int) float64 { return share(g.met[link], g.open[link]) }

// add joins what another mapping's packets have met: others stay where they are.
func (g *signs) add(o *signs) {
	for l := range g.open {
		g.open[l] += o.open[l]
		g.met[l] += o.met[l]
	}
}

// demand is the share of every link's rate that others want, from the packets of all
// mappings together. A link that none has used counts as free until one goes there: the
// mean over all links in its place gained no more on four scenarios.
func (g *signs) demand() []float64 {
	demand := make([]float64, len(g.open))
	for l := range demand {
		demand[l] = g.busy(l)
	}
	return demand
}

// share is part over whole, from 0 to 1; 0 of nothing.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, part/whole))
}
