package topology

import "fmt"

// fatTree reads `fattree:`, two or three levels of switches by the counts that
// people give: each leaf has leaf-links links to every aggregation switch of
// its pod; the cores form one group for each aggregation switch of a pod, and
// aggregation switch j of every pod has up/(cores/aggs) parallel links to each
// core of group j:
//
//	        core group 0     core group 1
//	         c0  c1           c2  c3
//	           \  |\          /|  /
//	pod 0:     a0  a1       a0  a1   :pod 1
//	           | \/ |       | \/ |
//	           | /\ |       | /\ |
//	           l0   l1      l2   l3
//
// The two networks of the 2018 thesis (Taffet, table 3.1) have names of their
// own.
func (s *spec) fatTree() (*tree, error) {
	var f fatTreeFields
	f.leafLinks = 1
	switch s.kind {
	case "tapered":
		f.hosts, f.leaves, f.pods, f.aggs, f.cores = 32, 24, 6, 16, 48
		f.up = f.leaves
	case "full":
		f.hosts, f.leaves, f.pods, f.aggs, f.cores = 18, 18, 11, 18, 108
		f.up = f.leaves
	default:
		f.hosts = s.int("nodes-per-leaf", -1, 1)
		f.leaves = s.int("leaves-per-pod", -1, 1)
		f.pods = s.int("pods", -1, 1)
		f.aggs = s.int("aggs-per-pod", -1, 0)
		f.cores = s.int("cores", -1, 0)
		f.leafLinks = s.int("leaf-links", 1, 1)
		absent := 0
		if f.cores > 0 {
			absent = f.leaves
		}
		f.up = s.int("up", absent, 0)
	}
	p := &tree{name: s.text, sideBySide: true}
	p.bytesPerSecond, p.latency = s.wires()
	if s.bare != "" {
		s.complain("field %q is not KEY=VALUE", clip(s.bare))
	}
	if len(s.missing) == 0 {
		f.check(s)
		if s.problem == "" {
			f.shape(p)
			s.fits(p)
		}
	}
	if err := s.done(); err != nil {
		return p, err
	}
	p.derive()
	f.names(p)
	return p, nil
}

// fatTreeFields are the fields of a `fattree:` spec.
type fatTreeFields struct {
	hosts, leaves, pods, aggs int // per leaf, per pod, in all, per pod
	cores, up, leafLinks      int // in all, per aggregation switch, per pair
}

// check tests the constraints between fields.
func (f *fatTreeFields) check(s *spec) {
	switch {
	case f.aggs == 0 && (f.leaves > 1 || f.pods > 1):
		s.complain("aggs-per-pod must be at least 1 when there is more than one leaf switch")
	case f.cores == 0 && f.pods > 1:
		s.complain("cores must be at least 1 when pods is %d (two levels: pods=1,cores=0)", f.pods)
	case f.cores == 0 && f.up > 0:
		s.complain("up must be 0 when cores is 0")
	case f.cores == 0:
	case f.aggs == 0 || f.cores%f.aggs != 0:
		s.complain("cores must be a multiple of aggs-per-pod: %d mod %d is not 0", f.cores, f.aggs)
	case f.up == 0 || f.up%(f.cores/f.aggs) != 0:
		s.complain("up must be a multiple of cores/aggs-per-pod, at least once: "+
			"%d links do not divide over %d cores", f.up, f.cores/f.aggs)
	}
}

// shape sets the levels. Above the leaves one divisor serves all switches.
func (f *fatTreeFields) shape(p *tree) {
	p.down, p.up, p.parallel, p.divisors = []int{f.hosts}, []int{1}, []int{1}, []int{1}
	add := func(down, up, parallel int) {
		p.down, p.up, p.parallel = append(p.down, down), append(p.up, up), append(p.parallel, parallel)
		p.divisors = append(p.divisors, f.aggs*f.leafLinks)
	}
	if f.aggs > 0 {
		add(f.leaves, f.aggs, f.leafLinks)
	}
	if f.cores > 0 {
		group := f.cores / f.aggs
		add(f.pods, group, f.up/group)
	}
}

// names calls the switches leaf0, pod0-agg0 and core0.
func (f *fatTreeFields) names(p *tree) {
	p.switchNames = numbered("leaf", f.leaves*f.pods)
	for pod := range f.pods {
		p.switchNames = append(p.switchNames, numbered(fmt.Sprintf("pod%d-agg", pod), f.aggs)...)
	}
	p.switchNames = append(p.switchNames, numbered("core", f.cores)...)
}

// fits bounds the size of a tree.
func (s *spec) fits(p *tree) {
	hosts, cables, switches := p.sizes()
	if links := 2 * cables; max(hosts, links, switches) > MaxLinks {
		s.complain("%.3g hosts, %.3g links and %.3g switches are too many: at most %d of each", hosts, links,
			switches, MaxLinks)
	}
}
