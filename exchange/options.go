package exchange

import "fmt"

// Options steer Refine. All of them trade time for quality; results are valid with any of them.
type Options struct {
	// Partners, >= 1, is how many of its heaviest partners a rank tries the surroundings of.
	Partners int
	// Near, >= 0, is how many sites beside a partner's site a rank tries at most.
	Near int
	// Slots, >= 1, is how many slots of one site a rank tries at most.
	Slots int
	// Trials, >= 1, is for objectives with link loads: how many exchanges of a rank are priced in
	// full at most. Those with the shortest paths are.
	Trials int
	// Random, >= 0, is for objectives with link loads: how many slots drawn at random a rank tries.
	Random int
	// Proposals, >= 0, is how many exchanges per rank simulated annealing proposes for path length.
	// Under Capacity it is a fifth of that. There are fewer where Work ends first, and none where
	// fewer than 50 would be left.
	Proposals int
	// Heat, >= 0, is the first temperature of simulated annealing, as a share of the usual loss.
	Heat float64
	// Work, >= 0, is the most elementary steps: distances and shares of links that are looked at; 0
	// = no limit. Objectives with link loads take as many again for the short paths they begin
	// from.
	Work int64
}

func (o *Options) validate() error {
	for _, f := range []struct {
		name       string
		value, low int64
	}{
		{"Partners", int64(o.Partners), 1}, {"Near", int64(o.Near), 0}, {"Slots", int64(o.Slots), 1},
		{"Trials", int64(o.Trials), 1},
		{"Random", int64(o.Random), 0}, {"Proposals", int64(o.Proposals), 0}, {"Work", o.Work, 0},
	} {
		if f.value < f.low {
			return fmt.Errorf("option %s is %d, and must be at least %d", f.name, f.value, f.low)
		}
	}
	if !(o.Heat >= 0) {
		return fmt.Errorf("option Heat is %g, and must be at least 0", o.Heat)
	}
	return nil
}
