package simfiles

import (
	"cmp"
	"maps"
	"slices"

	"remap/evalsim"
	"remap/internal/columns"
	"remap/sampling"
)

// every means all slices, phases, tags or call sites together.
const every = -1

// rowSet names the packets of a set of rows, one row a link. Phases and call sites are
// numbered by name over all jobs.
type rowSet struct{ slice, phase, tag, callSite int }

func compareRowSets(a, b rowSet) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.phase, b.phase),
		cmp.Compare(a.tag, b.tag), cmp.Compare(a.callSite, b.callSite))
}

// exact tells whether exact counts of the rows are known. Exact counts are of all packets
// in a time slice; they do not tell phases, tags or call sites apart.
func (r rowSet) exact() bool { return r.phase == every && r.tag == every && r.callSite == every }

// names are names of phases or call sites, numbered over the jobs in order of first
// appearance. Equal names have one number.
type names struct {
	list    []string
	numbers map[string]int // of list
	of      [][]int        // by job, then number within its program: index into list
}

// numberNames numbers the names that `of` gives for the job in view, or for all jobs.
func numberNames(jobs []evalsim.Job, view int, of func(evalsim.Job) []string) names {
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

// rowSets holds, for every set of rows, the tables whose sum it shows.
type rowSets map[rowSet][]*sampling.Table

// rowSets finds the sets that have rows. A set with exact counts is there even without
// tables.
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

// inView tells whether a job's receivers count in the est_ columns.
func (l *linkWriter) inView(job int) bool { return l.options.Job == AllJobs || l.options.Job == job }

// add appends a table to a set, unless it is nil or not wanted.
func (s rowSets) add(to rowSet, t *sampling.Table, wanted bool) {
	if wanted && t != nil {
		s[to] = append(s[to], t)
	}
}

// ordered are the sets in order of slice, then phase, tag and call site.
func (s rowSets) ordered() []rowSet { return slices.SortedFunc(maps.Keys(s), compareRowSets) }

// rowSetOf is the set that a part of a job in view belongs to.
func (l *linkWriter) rowSetOf(p *evalsim.Part) rowSet {
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

// labelColumns are the columns that name a row's slice, phase, tag and call site.
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

// nameOrNone is a call site's name, a missing value where the call site is not known.
func nameOrNone(name string) columns.Value {
	if name == "" {
		return columns.Value{}
	}
	return columns.String(name)
}
