package feedback

import "remap/topology"

// foreignMatrix is which rates others send at, from leaf switch to leaf switch, as
// counters of their hosts and of the links between switches tell it.
type foreignMatrix struct {
	machine  *topology.Topology
	hosts    []int32      // those of others that send or receive
	leafOf   []int32      // length hosts: index into leaves
	leaves   []int32      // switch numbers
	sends    []float64    // length hosts: bytes a second
	receives []float64    // length hosts: bytes a second; in sum those of sends
	rates    []float64    // leaves x leaves, by sender: bytes a second
	links    []constraint // what was measured of links between switches; nil where their routes are not known
}

// newForeignMatrix takes hosts that the job was not offered to be others'. It is nil where
// counters tell of no two of them that send and receive, or there are too many leaves.
//
// The start is the gravity model: what a leaf sends goes to every leaf in proportion to
// what that receives. Then the rates are brought to the sums that were measured of
// hosts and, where links is true, of links between switches, in turn, each time
// by the least change in relative entropy (tomogravity: Zhang et al. 2003; multiplicative
// algebraic reconstruction: Gordon et al. 1970). In a fat tree all links up from a subtree
// are one sum, as adaptive routing spreads over them; elsewhere each link, over which a
// pair sends what equal shares of all shortest paths bring there.
func newForeignMatrix(machine *topology.Topology, offered []int32, m *Measured, links bool) *foreignMatrix {
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
func (x *foreignMatrix) findHosts(offered []int32, m *Measured) {
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

// hostRates is what others' bytes a second are on the links of a host, and what these
// can carry.
func (x *foreignMatrix) hostRates(host int32, m *Measured) (sends, receives, rate float64) {
	first, end := x.machine.Out(host)
	for l := first; l < end; l++ {
		back := x.machine.Reverse(l)
		sends += m.Carried[l] * x.machine.Links[l].BytesPerSecond
		receives += m.Carried[back] * x.machine.Links[back].BytesPerSecond
		rate += x.machine.Links[l].BytesPerSecond
	}
	return sends, receives, rate
}

// gravity sets the rates to products; no host sends to itself.
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
