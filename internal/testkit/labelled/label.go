package labelled

import (
	"slices"

	"remap/evalsim"
	"remap/workload"
)

// seconds is the time of a step of the first job in steady state, a median of repeats.
func (d *drawer) seconds(c *Case, jobs []evalsim.Job, repeats int) (float64, error) {
	o := c.Options.Unsampled()
	o.Steps = 0
	results, err := evalsim.Repeat(d.ctx, c.Machine, jobs, o, repeats, 1, nil)
	if err != nil {
		return 0, err
	}
	times := make([]float64, len(results))
	for i, r := range results {
		times[i] = r.StepTime[0] / 1e9
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// labelRepeats is how many simulations the times of a label are a median of.
const labelRepeats = 3

// label tells whether the case has the causes that are wanted: the time of the job is that of its own
// sends at the full rate of its hosts' links, times what its pattern costs under the best mapping known,
// times what the mapping costs, times what others cost.
func (d *drawer) label(c *Case, beside []evalsim.Job, best float64) (bool, error) {
	rate := c.Machine.Links[0].BytesPerSecond
	bound := workload.InjectionBound(c.Jobs[0].Program, rate, rate).Seconds()
	c.Effect = map[string]float64{}
	if !d.settles(c, ByPattern, best/bound) {
		return false, nil
	}
	alone := best
	if d.wants(ByMapping) {
		var err error
		if alone, err = d.seconds(c, c.Jobs, labelRepeats); err != nil {
			return false, err
		}
	}
	if !d.settles(c, ByMapping, alone/best) {
		return false, nil
	}
	now := alone
	if c.Jobs = append(c.Jobs, beside...); len(beside) > 0 {
		var err error
		if now, err = d.seconds(c, c.Jobs, labelRepeats); err != nil {
			return false, err
		}
	}
	if !d.settles(c, ByOthers, now/alone) {
		return false, nil
	}
	c.Causes, c.Name = d.wanted, d.text
	return c.balanced(), nil
}

// settles notes what a cause costs, and tells whether that is clearly as wanted.
func (d *drawer) settles(c *Case, cause string, effect float64) bool {
	c.Effect[cause] = effect
	if d.wants(cause) {
		return effect >= presentFrom
	}
	return effect <= absentTo
}
