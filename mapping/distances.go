package mapping

import (
	"fmt"
	"math"
	"slices"

	"remap/commgraph"
	"remap/topology"
)

// DistanceScale is what Distances.Between gives for one switch on the path when
// all links have the same price.
const DistanceScale = 1024

// Distances is what it costs to carry a byte between hosts when links have
// prices. On its way the byte pays at every switch half the price of the link
// it comes in by and half the price of the one it leaves by:
//
//	host --1--> leaf --3--> spine --5--> leaf --1--> host
//	            1/2+3/2     3/2+5/2      5/2+1/2            = 9
//
// so that links between switches count whole, the hosts' own links count half,
// and at price 1 a path costs its number of switches: prices of 1 are no prices.
// Between ranks on one host nothing is paid.
//
// At every switch bytes divide equally over the minimal next links and between
// hosts of several rails over the pairs of least distance, as in LinkLoads, and
// the price is the mean over them. Prices choose no routes. The way back may
// differ in length and price (links have a price for each direction, irregular
// fabrics have different routes): Between is the mean of both.
//
// Prices count relative to each other only: they are divided by the median of
// those above 0. Between is in fixed point, DistanceScale a switch, each
// direction rounded by itself.
//
// What links between switches cost toward one leaf switch is computed when it is
// first asked for, for all switches in order of their distance: O(links). These
// rows stay in memory up to a bound, the oldest making room. Safe for use by
// several goroutines.
type Distances struct {
	machine *topology.Topology
	prices  []float64 // length links
	unit    float64   // price of one switch
	rows    rows
}

// NewDistances takes the price of each directed link (length links) and the
// weight of all edges that will be carried. Errors: prices that are negative or
// no numbers; weight times the longest distance reaching 2^62.
//
// Prices must not change as long as the distances are used.
func NewDistances(machine *topology.Topology, prices []float64, weight int64) (*Distances, error) {
	d := &Distances{machine: machine, prices: prices}
	if err := checkPrices(machine, prices); err != nil {
		return nil, err
	}
	highest := slices.Max(append([]float64{0}, prices...))
	d.unit = medianPrice(prices)
	longest := float64(diameter(machine)) * highest / d.unit * DistanceScale
	if longest >= 1<<62/max(1, float64(weight)) {
		return nil, fmt.Errorf("%d bytes over paths of up to %.3g times the price of a common link are beyond "+
			"what can be counted", weight, longest/DistanceScale)
	}
	d.rows.init(machine)
	return d, nil
}

// Prices are those of NewDistances, length links. The slice is shared: do not
// write.
func (d *Distances) Prices() []float64 { return d.prices }

// checkPrices tests that every link has a price of 0 or more.
func checkPrices(machine *topology.Topology, prices []float64) error {
	if len(prices) != len(machine.Links) {
		return fmt.Errorf("%d prices for %d links", len(prices), len(machine.Links))
	}
	for l, price := range prices {
		if !(price >= 0) || math.IsInf(price, 0) {
			link := &machine.Links[l]
			return fmt.Errorf("link %d from %s to %s has the "+
				"price %g", l, machine.NodeName(link.From), machine.NodeName(link.To), price)
		}
	}
	return nil
}

// medianPrice is the median of the prices above 0, the lower of two; 1 if there
// are none.
func medianPrice(prices []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(prices), func(price float64) bool { return price == 0 })
	if len(sorted) == 0 {
		return 1
	}
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}

// diameter is at least the number of switches on the longest path between
// hosts. Where routes follow a rule no path is longer than one by way of the
// first leaf switch; routes by table are looked at one by one, and detours
// around failed links are taken to be at most as long again.
func diameter(machine *topology.Topology) int {
	leaves := leafSwitches(machine)
	longest := int32(0)
	from := leaves[:min(1, len(leaves))]
	if r := machine.Routes; r != nil && r.Table != nil {
		from = leaves
	}
	for _, a := range from {
		for _, b := range leaves {
			longest = max(longest, machine.SwitchDistance(a, b), machine.SwitchDistance(b, a))
		}
	}
	if len(from) < len(leaves) {
		longest *= 2
		if r := machine.Routes; r != nil && r.Detours != nil {
			longest *= 2
		}
	}
	return int(longest) + 1
}

// Price is what the way from host a to host b costs, in the unit of the prices.
func (d *Distances) Price(a, b int32) float64 {
	if a == b {
		return 0
	}
	first, end := d.machine.Out(a)
	entries := d.machine.Ejection(b)
	if end-first == 1 && len(entries) == 1 {
		return d.byRails(first, entries[0])
	}
	var buffer [8]topology.Rails
	rails := d.machine.NearestRails(buffer[:0], a, b)
	sum := 0.0
	for _, p := range rails {
		sum += d.byRails(p.Injection, p.Ejection)
	}
	return sum / float64(len(rails))
}

// byRails is the price of the way that begins and ends with the given links.
func (d *Distances) byRails(injection, ejection int32) float64 {
	links := d.machine.Links
	from, to := d.machine.SwitchOf(links[injection].To), d.machine.SwitchOf(links[ejection].From)
	price := (d.prices[injection] + d.prices[ejection]) / 2
	if from != to {
		price += d.row(to)[d.rows.column[from]]
	}
	return price
}

// oneWay is Price in fixed point, half a DistanceScale a switch.
func (d *Distances) oneWay(a, b int32) int64 {
	return int64(math.Round(d.Price(a, b) / d.unit * (DistanceScale / 2)))
}

// Between is the mean cost of a byte on the way from host a to host b and back,
// in DistanceScale units; 0 on one host. It does not depend on the order of the
// two hosts.
func (d *Distances) Between(a, b int32) int64 { return d.oneWay(a, b) + d.oneWay(b, a) }

// Beside is Between for two hosts on the leaf switches of host h whose links
// have the prices of h's.
func (d *Distances) Beside(h int32) int64 {
	first, end := d.machine.Out(h)
	sum := 0.0
	for l := first; l < end; l++ {
		sum += d.byRails(l, d.machine.Reverse(l))
	}
	return 2 * int64(math.Round(sum/float64(end-first)/d.unit*(DistanceScale/2)))
}

// Cost is the sum over the graph's edges of weight times Between. It visits
// destinations leaf switch by leaf switch, so that every row is needed once:
// O(edges + leaf switches x links).
func (d *Distances) Cost(a *Allocation, g *commgraph.Graph, m Mapping) int64 {
	hosts := m.Hosts(a)
	var sum int64
	for _, u := range d.byLeaf(hosts) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			sum += g.Weights[i] * d.oneWay(hosts[g.Neighbors[i]], hosts[u])
		}
	}
	return sum
}

// byLeaf lists the ranks by the leaf switch of their host.
func (d *Distances) byLeaf(hosts []int32) []int32 {
	ranks := Identity(len(hosts))
	slices.SortStableFunc(ranks, func(x, y int32) int {
		return int(d.machine.LeafSwitch(hosts[x]) - d.machine.LeafSwitch(hosts[y]))
	})
	return ranks
}
