package job

import (
	"remap/evalsim"
	"remap/sampling"
)

// maxPartsBytes is what slices and categories of all repeats may take in memory:
// below what the simulator itself would cut slices for.
const maxPartsBytes = 1 << 30

// What a part of a simulation's results takes.
const (
	entryBytes = 40  // a link, of what samples say
	countBytes = 104 // a link in a slice, of exact counts
)

// CheckMemory refuses slices, phases, tags and call sites whose results of all repeats would not
// fit: slices = 0 is the whole time as one.
func (j *Job) CheckMemory(jobs []evalsim.Job, o evalsim.Options, slices, repeats int) error {
	bytes, parts := float64(0), 0
	if slices > 0 {
		bytes = countBytes
	}
	if o.Sampling.Kind != sampling.Off {
		var err error
		if parts, err = evalsim.CountCategories(jobs, o); err != nil {
			return err
		}
		bytes += entryBytes * float64(parts)
	}
	bytes *= float64(max(1, slices)) * float64(len(j.Machine.Links)) * float64(repeats)
	if bytes > maxPartsBytes {
		return Usage("fewer slices or repeats, or without --by-phase, --by-tag or --by-call-site",
			"samples of %d links, kept in %d categories, times %d slices, times %d repeats, would take %.1f GiB, "+
				"at most 1 is allowed", len(j.Machine.Links), max(1, parts), max(1, slices), repeats,
			bytes/(1<<30))
	}
	return nil
}
