package feedback

import "remap/topology"

// foreignMatrix is the rates at which others send, from leaf switch to leaf switch, as counters of
// their hosts and of the links between switches tell them.
type foreignMatrix struct {
	machine *topology.Topology
	// hosts are those of others that send or receive.
	hosts []int32
	// leafOf (length hosts) is the index into leaves.
	leafOf []int32
	// leaves are switch numbers.
	leaves []int32
	// sends (length hosts) is in bytes a second.
	sends []float64
	// receives (length hosts) is in bytes a second; its sum is that of sends.
	receives []float64
	// rates (leaves x leaves, by sender) is in bytes a second.
	rates []float64
	// links is what was measured of links between switches; nil where their routes are not known.
	links []constraint
}

// newForeignMatrix takes hosts that the job was not offered to be those of others. It is nil where
// counters tell of no two of them that send and receive, or where there are too many leaf switches.
//
// The start is the gravity model: what a leaf sends goes to every leaf in proportion to what that
// leaf receives. Then the rates are brought to the sums that were measured of hosts and, where
// links is true, of links between switches, one sum after the other. Each step is the least change
// in relative entropy (tomogravity: Zhang et al. 2003; multiplicative algebraic reconstruction:
// Gordon et al. 1970).
//
// In a fat tree all links up from a subtree are one sum, since adaptive routing spreads over them.
// Elsewhere each link is a sum; a pair of leaves sends over it what equal shares of all shortest
// paths bring there.
func newForeignMatrix(machine *topology.Topology, offered []int32, m *MeasuredNetwork,
	links bool) *foreignMatrix {
	x := &foreignMatrix{machine: machine}
	x.findHosts(offered, m)
	if len(x.hosts) < 2 || len(x.leaves)*len(x.leaves) > mostLeafPairs {
		return nil
	}
	x.gravity()
	constraints := x.ends()
	if links {
		x.links = x.crossings(m)
		constraints = append(x.links, constraints...)
	}
	out, into := x.waits(m)
	for range fitSweeps {
		x.waiting(out, into)
		for i := range constraints {
			x.correct(&constraints[i])
		}
	}
	return x
}

// findHosts lists hosts that the job was not offered and that send or receive.
func (x *foreignMatrix) findHosts(offered []int32, m *MeasuredNetwork) {
	taken := make([]bool, x.machine.Hosts())
	for _, h := range offered {
		taken[h] = true
	}
	leaf := map[int32]int32{}
	out, in := 0.0, 0.0
	for h := range int32(len(taken)) {
		sends, receives, rate := x.hostRates(h, m)
		if taken[h] || max(sends, receives) < leastRate*rate {
			continue
		}
		sw := x.machine.LeafSwitch(h)
		if _, met := leaf[sw]; !met {
			leaf[sw] = int32(len(x.leaves))
			x.leaves = append(x.leaves, sw)
		}
		x.hosts, x.leafOf = append(x.hosts, h), append(x.leafOf, leaf[sw])
		x.sends, x.receives = append(x.sends, sends), append(x.receives, receives)
		out, in = out+sends, in+receives
	}
	if out == 0 || in == 0 {
		x.hosts = nil
		return
	}
	for i := range x.receives { // the job's own traffic with hosts of others makes a difference
		x.receives[i] *= out / in
	}
}

// hostRates is the bytes a second of others on the links of a host, and what these links can carry.
func (x *foreignMatrix) hostRates(host int32, m *MeasuredNetwork) (sends, receives, rate float64) {
	first, end := x.machine.Out(host)
	for l := first; l < end; l++ {
		back := x.machine.Reverse(l)
		sends += m.Carried[l] * x.machine.Links[l].BytesPerSecond
		receives += m.Carried[back] * x.machine.Links[back].BytesPerSecond
		rate += x.machine.Links[l].BytesPerSecond
	}
	return sends, receives, rate
}

// gravity sets the rates to products. No host sends to itself.
func (x *foreignMatrix) gravity() {
	n := len(x.leaves)
	out, in := x.byLeaf(x.sends), x.byLeaf(x.receives)
	x.rates = make([]float64, n*n)
	total := 0.0
	for a := range n {
		for b := range n {
			x.rates[a*n+b] = out[a] * in[b]
		}
		total += out[a]
	}
	for i, a := range x.leafOf {
		at := int(a)*n + int(a)
		x.rates[at] = max(0, x.rates[at]-x.sends[i]*x.receives[i])
	}
	for i := range x.rates {
		x.rates[i] /= total
	}
}

// byLeaf sums values of hosts.
func (x *foreignMatrix) byLeaf(values []float64) []float64 {
	sums := make([]float64, len(x.leaves))
	for i, leaf := range x.leafOf {
		sums[leaf] += values[i]
	}
	return sums
}
