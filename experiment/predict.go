package experiment

import (
	"context"
	"slices"

	"remap/evalsim"
	"remap/topology"
)

// Predict simulates a mapping: jobs are the mapped job, with the program that is played, and the
// others. Times are those of the mapped job.
func Predict(ctx context.Context, t *topology.Topology, jobs []evalsim.Job, o evalsim.Options, repeats,
	workers int) (*evalsim.Summary, error) {
	results, err := evalsim.Repeat(ctx, t, slices.Clone(jobs), o.Unsampled(), repeats, workers, nil)
	if err != nil {
		return nil, err
	}
	if len(jobs) > 1 {
		results = evalsim.FirstJob(results)
	}
	s := evalsim.Summarize(results)
	return &s, nil
}
