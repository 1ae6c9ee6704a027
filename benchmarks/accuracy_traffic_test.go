package benchmarks

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// accuracyCase is traffic that is simulated once; what its packets carry is then
// played again and again.
type accuracyCase struct {
	title             string
	topology, pattern string
	jitter            time.Duration // ranks begin within
}

// met is what the packets of a simulation met, in the order of their arrival.
type met struct {
	machine   *topology.Topology
	ways      *topology.PathLinks
	pairs     [][2]int32 // injection and ejection link
	pair      []int32    // by packet: index into pairs
	offsets   []int32    // length packets+1, into the next two
	links     []int32    // switch output ports in order of crossing
	congested []bool
	n, m      []float64 // by link, exact counters: packets, those that found it congested
	used      []int32   // links with packets
	busiest   []int32   // the tenth of them with the most packets
	longest   int       // hops of the longest path
}

func (t *met) packets() int { return len(t.pair) }

// hops are the links of a packet and which of them were congested.
func (t *met) hops(packet int32) ([]int32, []bool) {
	from, to := t.offsets[packet], t.offsets[packet+1]
	return t.links[from:to], t.congested[from:to]
}

// simulate plays a case with reservoirs that hold whole paths.
func (c accuracyCase) simulate(t testing.TB) *met {
	t.Helper()
	machine, err := topology.Parse(c.topology)
	if err != nil {
		t.Fatal(err)
	}
	program, err := workload.ParsePattern(c.pattern)
	if err != nil {
		t.Fatal(err)
	}
	hosts := make([]int32, program.Ranks())
	for r := range hosts {
		hosts[r] = int32(r)
	}
	options := evalsim.DefaultOptions()
	options.Sampling = sampling.Variant{Kind: sampling.Full, Slots: sampling.MaxSlots, Counter: 8}
	options.StartJitter = c.jitter
	s, err := evalsim.New(machine, []evalsim.Job{{Program: program, Hosts: hosts}}, options)
	if err != nil {
		t.Fatal(err)
	}
	met := &met{machine: machine, ways: topology.NewPathLinks(machine, false), offsets: []int32{0}}
	number := map[[2]int32]int32{}
	results, err := s.RepeatDelivered(context.Background(), 0, 1, 1, nil,
		func(_ int, some []evalsim.Delivery) error {
			for i := range some {
				met.add(&some[i], number)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	met.rank()
	met.check(t, results[0])
	return met
}

// add keeps a packet.
func (t *met) add(d *evalsim.Delivery, number map[[2]int32]int32) {
	key := [2]int32{d.In, d.Out}
	pair, known := number[key]
	if !known {
		pair = int32(len(t.pairs))
		number[key] = pair
		t.pairs = append(t.pairs, key)
	}
	t.pair = append(t.pair, pair)
	for _, link := range d.Wide.Hops {
		t.links = append(t.links, link)
		t.congested = append(t.congested, slices.Contains(d.Wide.Congested, link))
	}
	t.offsets = append(t.offsets, int32(len(t.links)))
	t.longest = max(t.longest, len(d.Wide.Hops))
}

// thin is every so many-th packet, with counters of their own.
func (t *met) thin(every int) *met {
	thin := &met{machine: t.machine, ways: t.ways, pairs: t.pairs, offsets: []int32{0}, longest: t.longest}
	for i := int32(0); i < int32(t.packets()); i += int32(every) {
		links, congested := t.hops(i)
		thin.pair = append(thin.pair, t.pair[i])
		thin.links = append(thin.links, links...)
		thin.congested = append(thin.congested, congested...)
		thin.offsets = append(thin.offsets, int32(len(thin.links)))
	}
	thin.rank()
	return thin
}

// check holds the exact counters against the simulator's own.
func (t *met) check(tb testing.TB, r *evalsim.Result) {
	tb.Helper()
	for i := range t.n {
		if exact := &r.Links[i]; !t.machine.IsHost(t.machine.Links[i].From) &&
			(float64(exact.Packets) != t.n[i] || float64(exact.Congested) != t.m[i]) {
			tb.Fatalf("link %d: packets say %g, %g congested; counters "+
				"%d, %d", i, t.n[i], t.m[i], exact.Packets, exact.Congested)
		}
	}
}

// rank makes the exact counters and ranks the links.
func (t *met) rank() {
	t.n, t.m = make([]float64, len(t.machine.Links)), make([]float64, len(t.machine.Links))
	for i, link := range t.links {
		t.n[link]++
		if t.congested[i] {
			t.m[link]++
		}
	}
	for i := range t.n {
		if t.n[i] > 0 {
			t.used = append(t.used, int32(i))
		}
	}
	order := slices.Clone(t.used)
	slices.SortStableFunc(order, func(a, b int32) int { return int(t.n[b] - t.n[a]) })
	t.busiest = order[:(len(order)+9)/10]
	slices.Sort(t.busiest)
}

// String tells what the traffic is like.
func (t *met) String() string {
	classes, many := [6]int{}, 0
	for _, link := range t.used {
		f := t.m[link] / t.n[link]
		switch {
		case f == 0:
			classes[0]++
		case f == 1:
			classes[5]++
		default:
			classes[1+int(4*f)]++
		}
		many = max(many, int(t.n[link]))
	}
	least := t.n[t.busiest[0]]
	for _, link := range t.busiest {
		least = min(least, t.n[link])
	}
	return fmt.Sprintf("%d packets of %d pairs, %.2f hops on average, %d at most; %d used links, the "+
		"busiest %d have %g to %d packets each; congested fractions: %d links 0, %d below 1/4, %d below 1/2, "+
		"%d below 3/4, %d below 1, %d all",
		t.packets(), len(t.pairs), float64(len(t.links))/float64(t.packets()), t.longest, len(t.used),
		len(t.busiest), least, many,
		classes[0], classes[1], classes[2], classes[3], classes[4], classes[5])
}
