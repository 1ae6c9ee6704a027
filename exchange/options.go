package exchange

import "fmt"

// Options steer Refine. All of them trade time for quality; none bears on
// validity.
type Options struct {
	Partners  int     // heaviest partners whose surroundings a rank tries, >= 1
	Near      int     // most sites beside one partner's site that it tries, >= 0
	Slots     int     // most slots it tries on one site, >= 1
	Trials    int     // most exchanges of a rank that are priced in full for link loads, those with the shortest paths, >= 1
	Random    int     // slots drawn at random that it tries for link loads, >= 0
	Proposals int     // exchanges proposed for every rank in simulated annealing for path length, >= 0, and under Capacity a fifth of them; fewer where Work ends first, none if that is fewer than 50
	Heat      float64 // temperature it begins with, as a share of the usual loss, >= 0
	Work      int64   // most elementary steps: distances and shares of links looked at, >= 0; 0 = no limit. For link loads as many again for the short paths they begin from
}

// DefaultOptions are those of the strategy "swap": one to some seconds for some
// thousand ranks. A step takes one to three nanoseconds.
var DefaultOptions = Options{Partners: 12, Near: 32, Slots: 64, Trials: 16, Random: 16, Proposals: 1000, Heat: 0.2, Work: 2_000_000_000}

// FastOptions end at the first local optimum, in a tenth of the time.
var FastOptions = Options{Partners: 12, Near: 32, Slots: 64, Trials: 16, Random: 16, Work: 2_000_000_000}

func (o *Options) validate() error {
	for _, f := range []struct {
		name       string
		value, low int64
	}{
		{"Partners", int64(o.Partners), 1}, {"Near", int64(o.Near), 0}, {"Slots", int64(o.Slots), 1}, {"Trials", int64(o.Trials), 1},
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
