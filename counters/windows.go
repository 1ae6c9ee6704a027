package counters

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"remap/input"
	"remap/topology"
)

// MostWindows is how many intervals a measurement may have.
const MostWindows = 4

var severalHint = fmt.Sprintf("up to %d snapshots in order of time, or up to %d tables",
	MostWindows+1, MostWindows)

// between is Difference of the first and the last of several snapshots, with those of every
// two that follow each other as Windows. One snapshot counts from 0.
//
// A counter that went back in one interval says nothing of the time from first to last,
// even where it is larger at the end: such a link has the mean of the other intervals.
func between(machine *topology.Topology, snapshots []*Snapshot, o Options) (*Links, error) {
	last := len(snapshots) - 1
	if last == 0 {
		return Difference(machine, nil, snapshots[0], o)
	}
	all := o
	all.Seconds *= float64(last)
	whole, err := Difference(machine, snapshots[0], snapshots[last], all)
	if err != nil || last == 1 {
		return whole, err
	}
	for i := range last {
		w, err := Difference(machine, snapshots[i], snapshots[i+1], o)
		if err != nil {
			return nil, err
		}
		whole.add(w, fmt.Sprintf("interval %d of %d", i+1, last))
	}
	for _, w := range whole.Windows {
		for _, l := range w.back {
			whole.average(l)
			whole.average(machine.Reverse(l)) // for which the port may have stood in
		}
	}
	whole.share()
	return whole, nil
}

// openTables reads tables. Several are the intervals of one measurement, and each counts the
// same over the whole time, however long its own was.
func openTables(machine *topology.Topology, paths []string, o Options) (*Links, error) {
	if len(paths) > MostWindows {
		return nil, &input.Error{Reason: fmt.Sprintf("%d tables of links", len(paths)), Hint: severalHint}
	}
	whole := newBuilder(machine).Links
	for _, path := range paths {
		w, err := openTable(machine, path, o)
		if err != nil || len(paths) == 1 {
			return w, err
		}
		whole.add(w, filepath.Base(path))
	}
	for l := range whole.Known {
		whole.average(int32(l))
	}
	whole.share()
	return whole, nil
}

// add takes in an interval: its counts where they are larger, its warnings where they
// are new.
func (whole *Links) add(w *Links, name string) {
	whole.Windows = append(whole.Windows, w)
	c, more := &whole.Count, &w.Count
	c.FarEnd, c.Dead = max(c.FarEnd, more.FarEnd), max(c.Dead, more.Dead)
	c.Missing = max(c.Missing, more.Missing)
	c.Saturated, c.Reset = max(c.Saturated, more.Saturated), max(c.Reset, more.Reset)
	c.Clamped, c.Strange = max(c.Clamped, more.Clamped), max(c.Strange, more.Strange)
	for _, warning := range w.Warnings {
		told := func(of *Links) bool {
			return slices.ContainsFunc(of.Warnings, func(other string) bool { return sameWarning(warning, other) })
		}
		if told(whole) || slices.ContainsFunc(whole.Windows[:len(whole.Windows)-1], told) {
			continue
		}
		whole.Warnings = append(whole.Warnings, name+": "+warning)
	}
}

// sameWarning tells that two warnings say the same. How ports count is told once, of however
// many ports an interval has it.
func sameWarning(a, b string) bool {
	if strings.HasPrefix(a, tickWarning) {
		a, _, _ = strings.Cut(a, " (")
		b, _, _ = strings.Cut(b, " (")
	}
	return a == b
}

// average gives a link the mean over the intervals that know its rate. Where none does, its
// congestion is the mean over all.
func (whole *Links) average(l int32) {
	rate, congested, known, all := 0.0, 0.0, 0.0, 0.0
	for _, w := range whole.Windows {
		all += w.Congested[l]
		if w.Known[l] {
			rate, congested, known = rate+w.Rate[l], congested+w.Congested[l], known+1
		}
	}
	if whole.Known[l] = known > 0; whole.Known[l] {
		whole.Rate[l], whole.Congested[l] = rate/known, congested/known
		return
	}
	whole.Rate[l], whole.Congested[l] = 0, all/float64(len(whole.Windows))
}

// share counts the links, and gives intervals that do not know a link what it had over
// the whole time: an interval without a counter is not one in which others are silent.
func (whole *Links) share() {
	whole.Count.Measured = 0
	for l, known := range whole.Known {
		if !known {
			continue
		}
		whole.Count.Measured++
		for _, w := range whole.Windows {
			if !w.Known[l] {
				w.Rate[l], w.Congested[l], w.Known[l] = whole.Rate[l], whole.Congested[l], true
			}
		}
	}
}
