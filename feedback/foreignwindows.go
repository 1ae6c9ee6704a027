package feedback

import (
	"context"
	"slices"
	"strings"

	"remap/evalsim"
)

// byWindows makes variants of the intervals of a measurement in turn. Others that send for a while
// and are silent then send all their traffic in some repeats and none in others, not a part of it
// in all.
//
// Each interval has the description that comes nearest to it, since the mean of streams that take
// turns looks like random receivers. It has as many variants as the other intervals. In an interval
// in which others are silent the job is alone. nil where no description comes near in one of the
// other intervals.
func (m *MeasuredNetwork) byWindows(ctx context.Context, r *MeasuredRun) (*Others, error) {
	n := len(m.Windows)
	all := &Others{Windows: n, Jobs: make([][]evalsim.Job, n)}
	matrices, chosen := make([]*foreignMatrix, n), make([]description, n)
	var names []string
	var hosts []int32
	for k, w := range m.Windows {
		if matrices[k] = r.foreign(w); matrices[k] == nil {
			all.Silent++
			continue
		}
		one, d, err := w.describe(ctx, r, matrices[k], uint64(k))
		if one == nil || err != nil {
			return nil, err
		}
		if all.Jobs[k], chosen[k] = one.Jobs[0], d; !slices.Contains(names, d.name) {
			names = append(names, d.name)
		}
		hosts = append(hosts, matrices[k].hosts...)
		all.Bytes, all.Stall, all.Time = all.Bytes+one.Bytes, all.Stall+one.Stall, all.Time+one.Time
	}
	if all.Silent == n {
		return nil, nil
	}
	told := float64(n - all.Silent)
	slices.Sort(hosts)
	all.Name, all.Hosts = strings.Join(names, "; "), len(slices.Compact(hosts))
	all.Bytes, all.Stall, all.Time = all.Bytes/told, all.Stall/told, all.Time/told
	for k := n; k < variants || k%n > 0; k++ {
		var jobs []evalsim.Job
		if x := matrices[k%n]; x != nil {
			jobs = x.jobs(m.Windows[k%n], chosen[k%n], uint64(k))
		}
		all.Jobs = append(all.Jobs, jobs)
	}
	return all, nil
}

// Alternate makes the search compare mappings by the mean over one repeat beside each interval,
// where others have several. The final validation then has as many turns as the interval of a gain
// needs. Call it after JudgeBy.
func (o *Others) Alternate(s *Settings) {
	if o == nil || o.Windows < 2 {
		return
	}
	s.Turns = o.Windows
	s.Repeats = max(s.Repeats, o.Windows)
	if s.ValidationRepeats > 0 {
		s.ValidationRepeats = max(s.ValidationRepeats, firstLook*o.Windows)
	}
}
