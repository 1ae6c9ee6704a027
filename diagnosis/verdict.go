package diagnosis

import (
	"cmp"
	"math"
	"slices"

	"remap/commgraph"
	"remap/linkview"
	"remap/topology"
)

// Input is what a diagnosis is made from.
type Input struct {
	// Machine is the network.
	Machine *topology.Topology
	// Own is what is known of the job's own traffic, over the whole time.
	Own *linkview.View
	// Slices is the same by slices of time; nil = not known. With slices, links that are full in one
	// phase of a step are told from links that are never full.
	Slices []*linkview.View
	// All is what an administrator knows of all traffic; nil = only the job's own is known.
	All *linkview.View
	// Traffic is what the ranks send each other, Hosts the host of every rank; nil = not known.
	Traffic *commgraph.Traffic
	Hosts   []int32
	// Bounds is what the job's own traffic needs. What is 0 is concluded from Own, as far as it can be.
	Bounds Bounds
	// Between is how many bytes cross links between switches under the best mapping known, over those of
	// this one; 0 = not known.
	Between float64
}

// Bounds are shares of the time that the job's own traffic needs at the full rate of links; 0 = not known.
type Bounds struct {
	// Injection is the time of the job's own sends at the full rate of its hosts
	// (workload.InjectionBound).
	Injection float64
	// Ejection is that of the busiest link into a host, Interior that of the busiest link between
	// switches.
	Ejection, Interior float64
	// Least is what Interior is under the best mapping known.
	Least float64
}

// Cause is why a job is slower than its own sends.
type Cause string

// The causes (Taffet 2018, section 4.1).
const (
	// ByMapping: the job's own traffic fills links inside the network, which another mapping relieves.
	ByMapping Cause = "mapping"
	// ByPattern: more is sent at a time to a host, or through the network, than any mapping lets through.
	ByPattern Cause = "pattern"
	// ByOthers: traffic that is not the job's fills links that its packets cross.
	ByOthers Cause = "others"
	// None: nothing of these.
	None Cause = "none"
)

// Causes lists the causes, None left out, in the order of output.
func Causes() []Cause { return []Cause{ByMapping, ByPattern, ByOthers} }

// Verdict is the result of a diagnosis.
type Verdict struct {
	// Cause is the heaviest, or None.
	Cause Cause
	// Shares divide the time lost, in logarithms of factors, over causes: their sum is 1. None has it all
	// where there is no cause.
	Shares map[Cause]float64
	// Factors is by how much each cause makes the job slower, as estimated: 1 = not at all.
	Factors map[Cause]float64
	// Roots are those of congestion trees, the one with the most waiting packets first.
	Roots []Root
	// Hot is how many links are congested, Bounds what the job's own traffic needs.
	Hot    int
	Bounds Bounds
}

// Root is the root of a congestion tree: an oversubscribed link.
type Root struct {
	Link int32
	// Congested is the fraction of packets that found the link congested.
	Congested float64
	// Own is the rate at which the job's own bytes cross the link while it is congested, All that of all
	// bytes, in bytes a second; NaN = not known.
	Own, All float64
	// Waits is the share of the tree in all packets that waited.
	Waits float64
	Cause Cause
}

// Diagnose finds out why a job is slow. The steps are those of Taffet 2018, section 4.1:
//
//  1. Links that many packets find congested form trees, of which the roots are found (findRoots).
//  2. A root at a host is the pattern's fault (theorem 4.1). A root inside that the job's own traffic fills
//     is the mapping's (theorem 4.2), or the pattern's where no other mapping brings relief. A root that it
//     does not fill is full of traffic of others.
//  3. How much each costs is told by the job's own needs: T is the time, I that of its own sends at the full
//     rate of its hosts, E and M those of its bytes on the busiest link into a host and between switches, L
//     what M is under the best mapping known. Then T/I is the product of max(I,E,L)/I, which no mapping
//     avoids, of max(I,E,M)/max(I,E,L), which a mapping does, and of the rest, T/max(I,E,M): the time in
//     which no own bytes keep the busiest link busy, which others cost, or waiting in turns (rest).
func Diagnose(in *Input) *Verdict {
	x := newDiagnosis(in)
	v := &Verdict{Cause: None, Shares: map[Cause]float64{}, Factors: map[Cause]float64{}, Hot: len(x.tree.hot),
		Bounds: x.bounds, Roots: x.roots()}
	lost := x.lost()
	total := 0.0
	for _, c := range Causes() {
		if lost[c] < math.Log(presentFactor) {
			lost[c] = 0
		}
		total += lost[c]
	}
	for _, c := range Causes() {
		v.Factors[c] = math.Exp(lost[c])
		if total > 0 {
			v.Shares[c] = lost[c] / total
		}
		if v.Shares[c] > v.Shares[v.Cause] {
			v.Cause = c
		}
	}
	if total == 0 {
		v.Shares[None] = 1
	}
	return v
}

// diagnosis is a diagnosis under way.
type diagnosis struct {
	*Input
	tree   *tree
	waits  []float64 // of roots, by index in tree.hot
	bounds Bounds
	even   float64 // Bounds.Least, if its traffic is divided as unequally as that of this mapping
}

func newDiagnosis(in *Input) *diagnosis {
	seen := in.All
	if seen == nil {
		seen = in.Own
	}
	x := &diagnosis{Input: in, tree: newTree(in.Machine, seen)}
	if in.All != nil {
		x.tree.ownWaits(in.Own)
	} else {
		x.tree.useWhileCongested(in.Machine, in.Slices)
	}
	if in.Traffic != nil && in.All == nil {
		x.tree.follow(in.Machine, in.Traffic, in.Hosts)
	} else {
		x.tree.followBytes(in.Machine, seen)
	}
	x.tree.findRoots()
	x.waits = x.tree.blame()
	x.bounds = x.findBounds()
	return x
}

// findBounds completes Input.Bounds by what the links have seen. Of links between switches the larger is
// taken: where routes do not divide traffic equally, a link has more to carry than the equal part.
func (x *diagnosis) findBounds() Bounds {
	seen := Bounds{}
	for i := range x.Own.Links {
		l, to := &x.Own.Links[i], x.Machine.Links[i].To
		use := x.Own.Use(x.Machine, int32(i))
		if !l.Sampled || x.Machine.IsHost(x.Machine.Links[i].From) || !(use > 0) {
			continue
		}
		if l.Packets > 0 { // estimates scatter, and the largest of many is too large
			use *= max(0, l.Low/l.Packets)
		}
		if x.Machine.IsHost(to) {
			seen.Ejection = max(seen.Ejection, use)
		} else if x.Bounds.Interior == 0 || x.tree.at[i] >= 0 {
			seen.Interior = max(seen.Interior, use)
		}
	}
	b := x.Bounds
	x.even = b.Least
	b.Injection = min(1, b.Injection)
	b.Ejection = min(1, cmp.Or(b.Ejection, seen.Ejection))
	switch {
	case b.Interior == 0:
		b.Interior = seen.Interior
	case seen.Interior > unequal*b.Interior: // another mapping would be divided no better
		x.even *= seen.Interior / b.Interior
		b.Interior = seen.Interior
	}
	b.Interior = min(1, b.Interior)
	b.Least = min(b.Interior, b.Least)
	return b
}

// own is the part of a root that the job's own traffic makes.
func (x *diagnosis) own(h *hotLink) float64 {
	if x.All != nil {
		return min(1, max(0, x.Own.Use(x.Machine, h.link)/x.All.Use(x.Machine, h.link)))
	}
	return min(1, max(0, (h.use-foreignUse)/(fullUse-foreignUse)))
}

// relievable tells whether a mapping is known that loads the network clearly less.
func (x *diagnosis) relievable() bool {
	return x.bounds.Least == 0 || x.bounds.Interior > reliefFactor*x.even
}

// cause is that of a root.
func (x *diagnosis) cause(h *hotLink) Cause {
	switch {
	case x.atOwnHost(h):
		return ByPattern
	case x.own(h) < 0.5:
		return ByOthers
	case x.relievable():
		return ByMapping
	}
	return ByPattern
}

// atOwnHost tells whether a root is the way into a host of the job.
func (x *diagnosis) atOwnHost(h *hotLink) bool {
	return h.host && (x.All == nil || slices.Contains(x.Hosts, x.Machine.Links[h.link].To))
}

// roots lists the roots that packets wait for.
func (x *diagnosis) roots() []Root {
	total := 0.0
	var order []int
	for k, w := range x.waits {
		if total += w; w > 0 {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, byWaits(x.waits))
	var roots []Root
	for _, k := range order {
		h := &x.tree.hot[k]
		r := Root{Link: h.link, Congested: h.congested, Waits: x.waits[k] / total,
			Own: h.use * x.Machine.Links[h.link].BytesPerSecond, All: math.NaN()}
		if x.All != nil {
			r.Own, r.All = x.Own.BytesPerSecond(h.link), x.All.BytesPerSecond(h.link)
		}
		r.Cause = x.cause(h)
		if r.Waits > 0 { // else too few to be told from none
			roots = append(roots, r)
		}
	}
	return roots
}
