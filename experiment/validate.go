package experiment

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"remap/evalsim"
)

// Run is a mapping that was simulated and measured.
type Run struct {
	// Mapping is the name of the mapping.
	Mapping string `json:"mapping"`
	// SimulatedSeconds is the time of a step as predicted, a median over repeats with its 95 %
	// interval, which is nil below 6 repeats.
	SimulatedSeconds float64  `json:"simulated_seconds"`
	SimulatedLow     *float64 `json:"simulated_low"`
	SimulatedHigh    *float64 `json:"simulated_high"`
	// MeasuredSeconds is the time of a step on the testbed, a median over launches; Low and High are
	// its 95 % interval, below 6 launches the least and the largest.
	MeasuredSeconds float64 `json:"measured_seconds"`
	Low             float64 `json:"low"`
	High            float64 `json:"high"`
	// Launches are the times of every launch.
	Launches []float64 `json:"launches"`
	// OthersAlone and OthersBeside are what the competitors received together, in Mb/s, before the job
	// and beside it: medians over launches.
	OthersAlone  float64 `json:"others_alone_mbps,omitempty"`
	OthersBeside float64 `json:"others_beside_mbps,omitempty"`
	// Drops is how many packets ports dropped in the steps that count, over all launches.
	Drops uint64 `json:"drops"`
}

// Simulated takes in a prediction.
func (r *Run) Simulated(s *evalsim.Summary) {
	seconds := func(ns *int64) *float64 {
		if ns == nil {
			return nil
		}
		v := float64(*ns) / 1e9
		return &v
	}
	r.SimulatedSeconds = float64(s.ElapsedNS) / 1e9
	r.SimulatedLow, r.SimulatedHigh = seconds(s.ElapsedNSLow), seconds(s.ElapsedNSHigh)
}

// Measured takes in launches, at least one.
func (r *Run) Measured(launches []*Launch) {
	var alone, beside []float64
	for _, l := range launches {
		r.Launches = append(r.Launches, l.Seconds)
		alone, beside = append(alone, 8e-6*sum(l.Alone)), append(beside, 8e-6*sum(l.Beside))
		if l.Ports != nil {
			r.Drops += l.Ports.Drops()
		}
	}
	r.MeasuredSeconds, r.Low, r.High = medianInterval(r.Launches)
	r.OthersAlone, r.OthersBeside = Median(alone), Median(beside)
}

// medianInterval is the median with its 95 % interval, or with the extremes where that is not known.
func medianInterval(values []float64) (median, low, high float64) {
	median, low, high, ok := evalsim.MedianInterval(values)
	if !ok {
		low, high = slices.Min(values), slices.Max(values)
	}
	return median, low, high
}

// Median is the median of values, at least one.
func Median(values []float64) float64 {
	median, _, _, _ := evalsim.MedianInterval(values)
	return median
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// Agreement says how well predictions order mappings.
type Agreement struct {
	// Spearman is the rank correlation of simulated and measured times over all mappings (Spearman).
	Spearman float64 `json:"spearman"`
	// Noise is the relative difference of two measured times that chance explains (95 %), from the
	// spread of launches of one mapping; 0 where every mapping was launched once.
	Noise float64 `json:"noise"`
	// Pairs is how many pairs of mappings differ by more than the noise, Ordered how many of these
	// the simulation orders as the measurement does.
	Pairs   int `json:"pairs"`
	Ordered int `json:"ordered"`
	// SpearmanBeyondNoise is the rank correlation where neighbours that differ by less than the noise
	// count as one: both their times are averaged. nil where one is left.
	SpearmanBeyondNoise *float64 `json:"spearman_beyond_noise"`
	// RegretPercent is how much slower the mapping with the best prediction is than the fastest, as
	// measured; of fresh launches of these two where Confirmed, and never below 0.
	RegretPercent float64 `json:"regret_percent"`
	Confirmed     bool    `json:"regret_confirmed"`
	// Chosen has the best prediction, Fastest the best measurement.
	Chosen  string `json:"chosen"`
	Fastest string `json:"fastest"`
	// Ratio is the median of measured over simulated, RatioLow and RatioHigh the extremes.
	Ratio     float64 `json:"ratio"`
	RatioLow  float64 `json:"ratio_low"`
	RatioHigh float64 `json:"ratio_high"`
}

// Agree compares runs of one job, at least one.
func Agree(runs []Run) Agreement {
	a := Agreement{Noise: noise(runs)}
	chosen := slices.MinFunc(runs, func(x, y Run) int {
		return cmp.Compare(x.SimulatedSeconds, y.SimulatedSeconds)
	})
	fastest := slices.MinFunc(runs, func(x, y Run) int {
		return cmp.Compare(x.MeasuredSeconds, y.MeasuredSeconds)
	})
	a.Chosen, a.Fastest = chosen.Mapping, fastest.Mapping
	a.RegretPercent = 100 * (chosen.MeasuredSeconds/fastest.MeasuredSeconds - 1)
	var simulated, measured, ratios []float64
	for _, r := range runs {
		simulated, measured = append(simulated, r.SimulatedSeconds), append(measured, r.MeasuredSeconds)
		ratios = append(ratios, r.MeasuredSeconds/r.SimulatedSeconds)
	}
	a.Ratio, _, _ = medianInterval(ratios)
	a.RatioLow, a.RatioHigh = slices.Min(ratios), slices.Max(ratios)
	a.Spearman = Spearman(simulated, measured)
	if s, m := merge(simulated, measured, a.Noise); len(s) > 1 {
		beyond := Spearman(s, m)
		a.SpearmanBeyondNoise = &beyond
	}
	for i := range runs {
		for j := range i {
			difference := math.Log(measured[i] / measured[j])
			if math.Abs(difference) <= math.Log1p(a.Noise) {
				continue
			}
			a.Pairs++
			if difference*math.Log(simulated[i]/simulated[j]) > 0 {
				a.Ordered++
			}
		}
	}
	return a
}

// Confirm takes the regret from fresh launches of Chosen and Fastest.
func (a *Agreement) Confirm(chosen, fastest *Run) {
	a.RegretPercent = max(0, 100*(chosen.MeasuredSeconds/fastest.MeasuredSeconds-1))
	a.Confirmed = true
}

// noise is the relative difference of two medians of launches that chance explains: from the pooled
// standard deviation of the logarithms of times within a mapping, and Student's distribution.
func noise(runs []Run) float64 {
	squares, free, count := 0.0, 0, 0
	for _, r := range runs {
		logs := make([]float64, len(r.Launches))
		for i, v := range r.Launches {
			logs[i] = math.Log(v)
		}
		mean := stat.Mean(logs, nil)
		for _, v := range logs {
			squares += (v - mean) * (v - mean)
		}
		free += len(logs) - 1
		count += len(logs)
	}
	if free == 0 {
		return 0
	}
	deviation := math.Sqrt(squares / float64(free))
	each := float64(count) / float64(len(runs))
	quantile := distuv.StudentsT{Sigma: 1, Nu: float64(free)}.Quantile(0.975)
	return math.Expm1(quantile * medianError(int(math.Round(each))) * deviation * math.Sqrt(2/each))
}

// medianError is the standard error of the median of n normal values over that of their mean (Kendall
// and Stuart, The Advanced Theory of Statistics, 14.6, for small n; sqrt(pi/2) for large n).
func medianError(n int) float64 {
	small := []float64{1, 1, 1, 1.160, 1.092, 1.198, 1.135, 1.214, 1.160, 1.223, 1.176}
	if n < len(small) {
		return small[n]
	}
	return math.Sqrt(math.Pi / 2)
}

// merge averages mappings that are neighbours in measured time and differ by less than the noise
// from the first of them.
func merge(simulated, measured []float64, noise float64) (s, m []float64) {
	order := make([]int, len(measured))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(measured[a], measured[b]) })
	for i := 0; i < len(order); {
		first, sumS, sumM, count := measured[order[i]], 0.0, 0.0, 0.0
		for ; i < len(order) && measured[order[i]] <= first*(1+noise); i++ {
			sumS, sumM, count = sumS+simulated[order[i]], sumM+measured[order[i]], count+1
		}
		s, m = append(s, sumS/count), append(m, sumM/count)
	}
	return s, m
}

// Spearman is the rank correlation of two lists of one length: the correlation of ranks, equal
// values having their mean rank (Spearman 1904). It is 1 for fewer than two values, and 0 where all
// values of one list are equal.
func Spearman(x, y []float64) float64 {
	if len(x) < 2 {
		return 1
	}
	rho := stat.Correlation(ranks(x), ranks(y), nil)
	if math.IsNaN(rho) {
		return 0
	}
	return rho
}

// ranks are the places of values in ascending order.
func ranks(values []float64) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		below, equal := 0, 0
		for _, w := range values {
			switch {
			case w < v:
				below++
			case w == v:
				equal++
			}
		}
		r[i] = float64(below) + float64(equal+1)/2
	}
	return r
}
