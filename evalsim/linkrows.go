package evalsim

import (
	"cmp"
	"maps"
	"slices"

	"remap/internal/columns"
	"remap/sampling"
)

// every stands for all slices, phases, tags or call sites together.
const every = -1

// rowSet is what a set of rows, one a link, tells of. Phases and call sites are
// numbered over all jobs by name.
type rowSet struct{ slice, phase, tag, callSite int }

func compareRowSets(a, b rowSet) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.phase, b.phase), cmp.Compare(a.tag, b.tag), cmp.Compare(a.callSite, b.callSite))
}

// exact tells whether counters know what the rows tell of: they know all packets
// of a time, and not whose they were.
func (r rowSet) exact() bool { return r.phase == every && r.tag == every && r.callSite == every }

// names are names of phases or call sites, numbered over jobs in the order in
// which they appear; equal names have one number.
type names struct {
	list    []string
	numbers map[string]int // of list
	of      [][]int        // by job, then number within its program: index into list
}

func numberNames(jobs []Job, view int, of func(Job) []string) names {
	n := names{numbers: map[string]int{}, of: make([][]int, len(jobs))}
	for i, j := range jobs {
		if view != AllJobs && view != i {
			continue
		}
		for _, name := range of(j) {
			number, known := n.numbers[name]
			if !known {
				number = len(n.list)
				n.numbers[name] = number
				n.list = append(n.list, name)
			}
			n.of[i] = append(n.of[i], number)
		}
	}
	return n
}

// rowSets are the tables to be merged of every set of rows.
type rowSets map[rowSet][]*sampling.Table

// rowSets finds the sets that there is something to tell of; those that counters
// know of are there without tables, too.
func (l *linkWriter) rowSets() rowSets {
	sets, o := rowSets{}, &l.options
	whole := rowSet{every, every, every, every}
	apart := o.ByPhase || o.ByTag || o.ByCallSite
	if !o.Slices && !apart {
		sets[whole] = nil
		for _, r := range l.results {
			for job, t := range r.Samples {
				sets.add(whole, t, l.inView(job))
			}
		}
		return sets
	}
	if !apart {
		for slice := range l.slices() {
			sets[rowSet{slice, every, every, every}] = nil
		}
	}
	for _, r := range l.results {
		for i := range r.Parts {
			p := &r.Parts[i]
			if l.inView(p.Job) {
				sets.add(l.rowSetOf(p), p.Samples, true)
			}
		}
	}
	return sets
}

// inView tells whether the est_ columns are of a job's receivers.
func (l *linkWriter) inView(job int) bool { return l.options.Job == AllJobs || l.options.Job == job }

func (s rowSets) add(to rowSet, t *sampling.Table, wanted bool) {
	if wanted && t != nil {
		s[to] = append(s[to], t)
	}
}

// ordered are the sets by slice, then phase, tag and call site.
func (s rowSets) ordered() []rowSet { return slices.SortedFunc(maps.Keys(s), compareRowSets) }

// rowSetOf is the set that a part of a job in view belongs to.
func (l *linkWriter) rowSetOf(p *Part) rowSet {
	of, o := rowSet{every, every, every, every}, &l.options
	if o.Slices {
		of.slice = p.Slice
	}
	if o.ByPhase {
		of.phase = l.phases.of[p.Job][p.Phase]
	}
	if o.ByTag {
		of.tag = p.Tag
	}
	if o.ByCallSite {
		of.callSite = l.callSites.of[p.Job][p.CallSite]
	}
	return of
}

// labelColumns are those that say what a row tells of.
func (o *LinksOptions) labelColumns() (labels []columns.Column) {
	for _, label := range []struct {
		asked bool
		columns.Column
	}{
		{o.Slices, columns.Column{Name: "slice", Kind: columns.Integer}},
		{o.ByPhase, columns.Column{Name: "phase", Kind: columns.Text}},
		{o.ByTag, columns.Column{Name: "tag", Kind: columns.Integer}},
		{o.ByCallSite, columns.Column{Name: "call_site", Kind: columns.Text, Optional: true}},
	} {
		if label.asked {
			labels = append(labels, label.Column)
		}
	}
	return labels
}

// labels appends the values of labelColumns to the row.
func (l *linkWriter) labels(of rowSet) {
	if of.slice != every {
		l.row = append(l.row, columns.Whole(int64(of.slice)))
	}
	if of.phase != every {
		l.row = append(l.row, columns.String(l.phases.list[of.phase]))
	}
	if of.tag != every {
		l.row = append(l.row, columns.Whole(int64(of.tag)))
	}
	if of.callSite != every {
		l.row = append(l.row, nameOrNone(l.callSites.list[of.callSite]))
	}
}

// nameOrNone is a call site's name, missing where it is not known.
func nameOrNone(name string) columns.Value {
	if name == "" {
		return columns.Value{}
	}
	return columns.String(name)
}
