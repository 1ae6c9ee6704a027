package robustness

import (
	"math"
	"slices"

	"remap/evalsim"
	"remap/mapping"
)

// Verdicts of a variant on the best mapping.
const (
	Wins  = "wins"
	Level = "level"
	Loses = "loses"
)

// Contenders are the mappings that are compared: start, best static, best.
type Contenders struct {
	mappings [3]mapping.Mapping
	// against is the index of the mapping that the best is compared with; -1 = all are the same.
	against int
}

var contenderNames = [...]string{"start", "static", "best"}

// NewContenders compares the best mapping with the best static one, or with the start where
// the best static one is the best.
func NewContenders(start, static, best mapping.Mapping) Contenders {
	c := Contenders{[3]mapping.Mapping{start, static, best}, -1}
	for _, i := range []int{0, 1} { // the best static goes before the start
		if !slices.Equal(c.mappings[i], c.mappings[2]) {
			c.against = i
		}
	}
	return c
}

// firstEqual is the first contender that has the same mapping as contender i.
func (c *Contenders) firstEqual(i int) int {
	return slices.IndexFunc(c.mappings[:],
		func(m mapping.Mapping) bool { return slices.Equal(m, c.mappings[i]) })
}

// Different is how many different mappings there are; with 1 there is nothing to check.
func (c *Contenders) Different() int {
	count := 0
	for i := range c.mappings {
		if c.firstEqual(i) == i {
			count++
		}
	}
	return count
}

// row compares times of start, static and best, paired by position. The three times share
// most of the error of an extrapolation, so the interval has it once.
func (c *Contenders) row(variant string, times *[3][]float64, relative float64) *Row {
	row := &Row{Variant: variant, Against: contenderNames[c.against], StartNS: medianNS(times[0]),
		StaticNS: medianNS(times[1]), BestNS: medianNS(times[2])}
	ratios := make([]float64, len(times[2]))
	for i, t := range times[2] {
		reference := times[c.against][i]
		if reference <= 0 {
			row.Verdict = Level
			return row
		}
		ratios[i] = t / reference
	}
	median, low, high, known := evalsim.MedianInterval(ratios)
	row.Ratio, row.Verdict = &median, Level
	if known {
		low, high = low*(1-min(1, relative)), high*(1+relative)
		row.RatioLow, row.RatioHigh, row.Verdict = &low, &high, verdictOf(low, high)
	}
	return row
}

func medianNS(times []float64) int64 {
	median, _, _, _ := evalsim.MedianInterval(times)
	return int64(math.Round(median))
}

// verdictOf reads the interval of a ratio of times.
func verdictOf(low, high float64) string {
	switch {
	case high < 1:
		return Wins
	case low > 1:
		return Loses
	}
	return Level
}
