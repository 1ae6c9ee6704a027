package main

import (
	"fmt"
	"runtime"

	"remap/tiling"
)

// pathBound is what the average path length of no mapping of a job goes below.
// It is known where the ranks form a grid, named or recovered from the graph.
type pathBound struct {
	PathBound float64 `json:"path_bound,omitempty"` // switches on the path, weighted by bytes; 0 = not known
	grid      string  // extents of the grid
}

// pathBound proves one, or has none. What the strategy has left behind is
// collected first: the bound's own memory then takes its place.
func (j *job) pathBound() pathBound {
	runtime.GC()
	bound, err := tiling.LowerBound(j.problem(0))
	if err != nil { // no grid
		return pathBound{}
	}
	return pathBound{bound.PathLength, bound.Grid.String()}
}

// sentence says how far an average path length is above the bound; empty when
// none is known.
func (b pathBound) sentence(length float64) string {
	if b.PathBound == 0 {
		return ""
	}
	return fmt.Sprintf("no mapping of this %s grid has paths shorter than %.4f: these are %.1f %% above",
		b.grid, b.PathBound, 100*max(0, length/b.PathBound-1))
}
