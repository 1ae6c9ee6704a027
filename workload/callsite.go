package workload

import "fmt"

// MaxCallSites is the most names of call sites a program may have.
const MaxCallSites = 1 << 16

// Site is the index into Program.CallSites of operation number op of Program.Ops;
// 0 when the program has none.
func (p *Program) Site(op int32) uint16 {
	if len(p.Sites) == 0 {
		return 0
	}
	return p.Sites[op]
}

// checkSites tests that every operation has a call site that exists, or none has one.
func (p *Program) checkSites() error {
	if len(p.CallSites) > MaxCallSites {
		return fmt.Errorf("%d call sites, at most %d have numbers", len(p.CallSites), MaxCallSites)
	}
	if len(p.Sites) != 0 && len(p.Sites) != len(p.Ops) {
		return fmt.Errorf("call sites of %d of %d operations", len(p.Sites), len(p.Ops))
	}
	for i, site := range p.Sites {
		if int(site) >= max(1, len(p.CallSites)) {
			return fmt.Errorf("operation %d of all ranks: call site %d of %d", i, site, max(1, len(p.CallSites)))
		}
	}
	return nil
}

// mark gives all operations that have no call site yet, those appended last, a site.
func (p *Program) mark(site uint16) {
	for len(p.Sites) < len(p.Ops) {
		p.Sites = append(p.Sites, site)
	}
}

// callSites are the names of a builder's call sites by number, and the one in hand.
type callSites struct {
	site    uint16
	numbers map[string]uint16 // nil until the first one is named
}

// CallSite begins operations that a place in the application posts, such as
// "solver.c:117", known by its name on all ranks, up to the next CallSite; every
// rank begins at the site "", which is no known place. It is an error to name
// more than MaxCallSites, that one included.
func (b *Builder) CallSite(name string) { b.site = b.siteNumber(name) }

func (b *Builder) siteNumber(name string) uint16 {
	if b.numbers == nil {
		b.numbers = map[string]uint16{"": 0}
		b.program.CallSites = []string{""}
		b.program.Sites = make([]uint16, len(b.program.Ops), max(cap(b.program.Ops), 1))
	}
	number, known := b.numbers[name]
	if !known {
		if len(b.program.CallSites) == MaxCallSites {
			b.fail("call site %q is one more than the %d that can be told apart", name, MaxCallSites)
			return 0
		}
		number = uint16(len(b.program.CallSites))
		b.numbers[name] = number
		b.program.CallSites = append(b.program.CallSites, name)
	}
	return number
}
