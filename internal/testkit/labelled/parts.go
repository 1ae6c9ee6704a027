package labelled

import (
	"fmt"
	"slices"
	"strings"

	"remap/evalsim"
	"remap/mapping"
	"remap/strategy"
	"remap/topology"
	"remap/workload"
)

// network draws one of three kinds of networks.
func (d *drawer) network() string {
	spec := pick(d, []string{
		pick(d, []string{
			"fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0",
			"fattree:nodes-per-leaf=16,leaves-per-pod=8,pods=1,aggs-per-pod=8,cores=0",
			"fattree:nodes-per-leaf=12,leaves-per-pod=12,pods=1,aggs-per-pod=6,cores=0",
			"fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=4,aggs-per-pod=4,cores=16",
		}),
		pick(d, []string{"torus:4x4x4", "torus:8x8,hosts=2", "torus:6x6x4", "torus:8x4x4,hosts=2"}),
		pick(d, []string{
			"dragonfly:groups=9,routers=4,hosts=2,global=2",
			"dragonfly:groups=7,routers=4,hosts=4,global=2",
			"dragonfly:groups=5,routers=8,hosts=3,global=1",
		}),
	})
	d.note("%s", spec)
	return spec
}

// hosts divides the machine: all to the job, or a part of every switch or of every other one to others.
func (d *drawer) hosts(machine *topology.Topology) (own, other []int32) {
	share := 0.0
	if d.wants(ByOthers) {
		share = 0.25 + 0.35*d.random.Float64()
	}
	for h := range int32(machine.Hosts()) {
		if d.chance(share) {
			other = append(other, h)
		} else {
			own = append(own, h)
		}
	}
	// A grid needs a number with divisors.
	keep := len(own) / 8 * 8
	if d.chance(0.3) {
		keep = max(16, keep/2/8*8)
	}
	d.note("%d of %d hosts", keep, machine.Hosts())
	return own[:min(keep, len(own))], other
}

// grid divides ranks into two or three near-equal extents.
func grid(ranks, dimensions int) string {
	extents := make([]string, 0, dimensions)
	for left := dimensions; left > 0; left-- {
		best := 1
		for e := 1; e <= ranks; e++ {
			if ranks%e == 0 && power(e, left) <= ranks {
				best = e
			}
		}
		if left == 1 {
			best = ranks
		}
		extents = append(extents, fmt.Sprint(best))
		ranks /= best
	}
	slices.Reverse(extents)
	return strings.Join(extents, "x")
}

func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}

// program draws what the ranks do: a pattern of neighbours, and where the pattern is to be at fault some
// hosts that more is sent to than they can take.
func (d *drawer) program(ranks int) (*workload.Program, error) {
	bytes := pick(d, []int{65536, 131072, 262144})
	wait := pick(d, []string{"", ",wait=true,sends=nonblocking"})
	spec := pick(d, []string{
		fmt.Sprintf("stencil2d:%s,edges=skip%s", grid(ranks, 2), wait),
		fmt.Sprintf("stencil3d7:%s,edges=skip%s", grid(ranks, 3), wait),
		fmt.Sprintf("ring:%d,rounds=4", ranks),
	})
	spec += fmt.Sprintf(",bytes=%d", bytes)
	d.note("%s", spec)
	program, err := workload.ParsePattern(spec)
	if err != nil || !d.wants(ByPattern) {
		return program, err
	}
	// The busiest receiver is to need so many times the time of the neighbours' messages.
	times := 1.5 + 3*d.random.Float64()
	hot := max(4096, int(times*4*float64(bytes)/float64(ranks)))
	servers := 1 + ranks/32
	fault := pick(d, []string{
		fmt.Sprintf("hotspot:%d,servers=1,rounds=1,bytes=%d", ranks, hot),
		fmt.Sprintf("hotspot:%d,servers=%d,rounds=2,bytes=%d", ranks, servers, hot*servers/2),
		fmt.Sprintf("reduce-naive:%d,bytes=%d", ranks, hot),
		fmt.Sprintf("uniform:%d,rounds=%d,bytes=%d", ranks, 3+int(3*times), bytes),
		fmt.Sprintf("alltoall:%d,bytes=%d", ranks, 2*hot),
	})
	d.note("%s", fault)
	second, err := workload.ParsePattern(fault)
	if err != nil {
		return nil, err
	}
	if len(d.wanted) == 1 && d.chance(0.5) {
		return second, nil
	}
	return after(program, second), nil
}

// after is a program that does p, then q. Requests of q are numbered after those of p.
func after(p, q *workload.Program) *workload.Program {
	both := &workload.Program{Offsets: []int32{0}, VolumeScale: 1, Grid: p.Grid}
	for r := range int32(p.Ranks()) {
		requests := int64(0)
		for _, op := range p.RankOps(r) {
			if op.Kind.IsRequest() {
				requests++
			}
			both.Ops = append(both.Ops, op)
		}
		for _, op := range q.RankOps(r) {
			if op.Kind == workload.Wait {
				op.Bytes += requests
			}
			both.Ops = append(both.Ops, op)
		}
		both.Offsets = append(both.Offsets, int32(len(both.Ops)))
	}
	return both
}

// bestMapping is the fastest of some strategies for the job alone.
func (d *drawer) bestMapping(c *Case, p *workload.Program) (best mapping.Mapping, seconds float64,
	err error) {
	problem := &mapping.Problem{Graph: c.Traffic.Graph(), Traffic: c.Traffic, Grid: p.Grid, Machine: c.Machine,
		Allocation: c.Allocation, Seed: 1}
	for _, try := range []struct {
		name      string
		objective mapping.Objective
	}{{"identity", mapping.PathLength}, {"tiling", mapping.PathLength}, {"multisection", mapping.PathLength},
		{"multisection", mapping.LinkLoad}, {"swap", mapping.LinkLoad}} {
		problem.Objective = try.objective
		s, err := strategy.Parse(try.name)
		if err != nil {
			return nil, 0, err
		}
		m, err := s.Map(d.ctx, problem)
		if err != nil {
			continue // such as tiling of what is no grid
		}
		t, err := d.seconds(c, []evalsim.Job{{Program: p, Hosts: m.Hosts(c.Allocation)}}, 1)
		if err != nil {
			return nil, 0, err
		}
		if best == nil || t < seconds {
			best, seconds = m, t
		}
	}
	seconds, err = d.seconds(c, []evalsim.Job{{Program: p, Hosts: best.Hosts(c.Allocation)}}, labelRepeats)
	return best, seconds, err
}

// spoil makes a mapping worse in one of the ways in which mappings are bad.
func (d *drawer) spoil(good mapping.Mapping) mapping.Mapping {
	m := slices.Clone(good)
	n := len(m)
	switch how := pick(d, []string{"all shuffled", "some shuffled", "dealt out", "blocks dealt out"}); how {
	case "all shuffled":
		d.random.Shuffle(n, func(i, j int) { m[i], m[j] = m[j], m[i] })
		d.note("%s", how)
	case "some shuffled":
		ranks := d.random.Perm(n)[:n/2]
		for i := len(ranks) - 1; i > 0; i-- {
			j := d.random.IntN(i + 1)
			m[ranks[i]], m[ranks[j]] = m[ranks[j]], m[ranks[i]]
		}
		d.note("%s", how)
	default: // rank r sits where rank of another residue sat
		width := 1
		if how == "blocks dealt out" {
			width = 2
		}
		count := n / width
		stride := pick(d, []int{3, 5, 7, 11, 13})
		for count%stride == 0 {
			stride++
		}
		for b := range count {
			for k := range width {
				m[b*width+k] = good[(b*stride%count)*width+k]
			}
		}
		d.note("%s by %d", how, stride)
	}
	return m
}

// others draws a job that sends all the time.
func (d *drawer) others(machine *topology.Topology, hosts []int32) ([]evalsim.Job, error) {
	if !d.wants(ByOthers) || len(hosts) < 4 {
		return nil, nil
	}
	hosts = slices.Clone(hosts)
	d.random.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	spec := pick(d, []string{
		fmt.Sprintf("ring:%d", len(hosts)), fmt.Sprintf("uniform:%d,rounds=20", len(hosts)),
		fmt.Sprintf("hotspot:%d,servers=%d,rounds=4", len(hosts), 1+len(hosts)/10),
	}) + ",bytes=131072"
	d.note("beside %s", spec)
	p, err := workload.ParsePattern(spec)
	return []evalsim.Job{{Program: p, Hosts: hosts, Endless: true}}, err
}
