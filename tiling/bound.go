package tiling

import (
	"cmp"
	"math"
	"slices"

	"remap/mapping"
	"remap/stencil"
)

// PathLengthBound is what no mapping of a grid's ranks can go below.
type PathLengthBound struct {
	// Grid: named or recovered.
	Grid *stencil.Grid
	// PathLength: average number of switches on the path, weighted by bytes.
	PathLength float64
	// PathBytes: bytes times switches on the path.
	PathBytes float64
	Levels    []LevelBound
}

// LevelBound is what the places of one level must cut.
type LevelBound struct {
	// Name: of the level.
	Name string
	// Cut: bytes between ranks in different places, at least.
	Cut float64
}

// Above is how far a mapping of so many bytes times switches (mapping.PathBytes)
// lies above the bound, as a share of it; 0 = no mapping is better.
func (b *PathLengthBound) Above(pathBytes int64) float64 {
	if b.PathBytes == 0 {
		return 0
	}
	return float64(pathBytes)/b.PathBytes - 1
}

// LowerBound proves how short the average path of a stencil's mapping can be.
//
// A place with s cells meets P lines of cells in some direction, and each of
// them leaves it at both ends, into another place or through the grid's border;
// through the border go as many as there are lines across the grid. In d
// independent directions the product of the P is s^(d-1) or more (Loomis and
// Whitney 1949), which bounds the sum of the P by whole numbers, weighted by
// the lightest edge of each direction. With neighbours along two dimensions
// only, boxes reach it: it is exact where they tile. Directions are put together
// in groups of d that are independent. With diagonals the groups cannot all be
// least at once: in two and three dimensions slices of the places bound those of
// a plane together with the lines along it (slices.go), for places of up to some
// thousand cells. There the bound lies some per cent below what is possible.
//
// An edge between different places of a level passes at least as many switches
// as the nearest two slots in different places. Levels add up, each with the
// switches beyond the level below. Errors: those of GridOf.
func LowerBound(p *mapping.Problem) (*PathLengthBound, error) {
	grid, err := GridOf(p)
	if err != nil {
		return nil, err
	}
	return newIsoperimetry(stencil.Measure(p.Graph, grid), grid).bound(p), nil
}

// bound is LowerBound for a grid that is known.
func (iso *isoperimetry) bound(p *mapping.Problem) *PathLengthBound {
	places := mapping.NewPlaces(p.Machine, p.Allocation, nil)
	distance := apart(p.Machine, p.Allocation, places)
	total := float64(p.Graph.TotalWeight())
	b := &PathLengthBound{Grid: iso.grid, PathBytes: float64(distance[0]) * total}
	for i := range places.Levels {
		level := &places.Levels[i]
		cut := min(total, max(0, iso.level(level, p.Ranks() == len(places.Slots))))
		b.Levels = append(b.Levels, LevelBound{level.Name, cut})
		b.PathBytes += float64(distance[i+1]-distance[i]) * cut
	}
	if total > 0 {
		b.PathLength = b.PathBytes / total
	}
	return b
}

// isoperimetry bounds the weight that leaves sets of cells.
type isoperimetry struct {
	grid   *stencil.Grid
	groups [][]stencil.Step // groups of independent directions, the first those along the dimensions
	others [][]stencil.Step // the same without those along the dimensions and the diagonals of flat
	// weight of both diagonals of the plane across each dimension, or of the one plane; nil = none
	flat     []float64
	axes     []float64 // length dimensions: weight of a step of one along each
	border   float64   // weight that the border of the grid lacks
	open     float64   // the same of steps along dimensions that are not periodic
	measured map[int]float64
}

func newIsoperimetry(steps *stencil.Steps, grid *stencil.Grid) *isoperimetry {
	iso := &isoperimetry{grid: grid, axes: make([]float64, len(grid.Extents)), measured: map[int]float64{}}
	plain := &stencil.Grid{Extents: grid.Extents}
	list := slices.Clone(steps.List)
	slices.SortStableFunc(list, func(x, y stencil.Step) int { return cmp.Compare(y.Least, x.Least) })
	cells := int64(grid.Vertices())
	for _, s := range list {
		if s.Least == 0 {
			continue
		}
		// Without the edges that go round; with them, there would be no border.
		missing := float64(s.Least) * float64(cells-plain.Room(s.Offset))
		iso.border += missing
		if d := alongAxis(s.Offset); d >= 0 {
			iso.axes[d] = float64(s.Least)
			if !grid.Wraps(d) {
				iso.open += missing
			}
		}
		iso.groups = group(iso.groups, s)
		if across := acrossPlane(s.Offset); across >= 0 {
			if iso.flat == nil {
				iso.flat = make([]float64, 3)
			}
			iso.flat[across] += float64(s.Least)
		} else if alongAxis(s.Offset) < 0 {
			iso.others = group(iso.others, s)
		}
	}
	return iso
}

// group puts a step into the first group that it is independent of, or a new one.
func group(groups [][]stencil.Step, s stencil.Step) [][]stencil.Step {
	at := slices.IndexFunc(groups, func(group []stencil.Step) bool { return independent(group, s.Offset) })
	if at < 0 {
		return append(groups, []stencil.Step{s})
	}
	groups[at] = append(groups[at], s)
	return groups
}

// acrossPlane is, for a step of one along two dimensions of at most three, the
// third dimension (0 when there are two), and -1 for other steps.
func acrossPlane(offset []int) int {
	moves, still := 0, 0
	for d, step := range offset {
		switch step {
		case 0:
			still = d
		case 1, -1:
			moves++
		default:
			return -1
		}
	}
	if moves != 2 || len(offset) > 3 {
		return -1
	}
	return still
}

// alongAxis is the dimension that a step of one leads along, -1 for others.
func alongAxis(offset []int) int {
	axis := -1
	for d, step := range offset {
		switch {
		case step == 0:
		case axis >= 0 || step != 1:
			return -1
		default:
			axis = d
		}
	}
	return axis
}

// independent tells whether an offset is no combination of a group's.
func independent(group []stencil.Step, offset []int) bool {
	rows := [][]float64{}
	for _, s := range append(slices.Clone(group), stencil.Step{Offset: offset}) {
		row := make([]float64, len(offset))
		for d, x := range s.Offset {
			row[d] = float64(x)
		}
		rows = append(rows, row)
	}
	rank := 0
	for d := 0; d < len(offset) && rank < len(rows); d++ {
		pivot := rank
		for r := rank; r < len(rows); r++ {
			if math.Abs(rows[r][d]) > math.Abs(rows[pivot][d]) {
				pivot = r
			}
		}
		if math.Abs(rows[pivot][d]) < 1e-9 {
			continue
		}
		rows[rank], rows[pivot] = rows[pivot], rows[rank]
		for r := rank + 1; r < len(rows); r++ {
			factor := rows[r][d] / rows[rank][d]
			for k := d; k < len(offset); k++ {
				rows[r][k] -= factor * rows[rank][k]
			}
		}
		rank++
	}
	return rank == len(rows)
}

// level bounds what the places of a level cut; full tells that every slot has a rank.
func (iso *isoperimetry) level(level *mapping.PlaceLevel, full bool) float64 {
	periodic := slices.Contains(iso.grid.Periodic, true)
	if !full {
		// Some places may stay empty: a cell's share is least in the largest place.
		largest := 0
		for k := range level.Places() {
			largest = max(largest, level.Size(k))
		}
		largest = min(largest, iso.grid.Vertices())
		var share float64
		for _, group := range iso.groups {
			share += smoothLines(weights(group), largest, len(iso.grid.Extents)) / float64(largest)
		}
		return share*float64(iso.grid.Vertices()) - iso.border
	}
	var sum, round float64
	for k := range level.Places() {
		size := level.Size(k)
		least, known := iso.measured[size]
		if !known {
			least = iso.lines(size)
			iso.measured[size] = least
		}
		sum += least
		if periodic {
			least, known := iso.measured[-size]
			if !known {
				least = iso.ringLines(size)
				iso.measured[-size] = least
			}
			round += least
		}
	}
	return max(sum-iso.border, round-iso.open)
}

func weights(group []stencil.Step) []float64 {
	list := make([]float64, len(group))
	for i, s := range group {
		list[i] = float64(s.Least)
	}
	return list
}

// lines is the least weight of the lines that a set of so many cells meets.
func (iso *isoperimetry) lines(size int) float64 {
	sum := iso.byGroups(iso.groups, size)
	switch dims := len(iso.grid.Extents); {
	case size > largestInPlane || len(iso.flat) == 0:
	case dims == 2:
		sum = max(sum, plane{iso.axes[0], iso.axes[1], iso.flat[0]}.lines(size)+iso.byGroups(iso.others, size))
	case dims == 3:
		sum = max(sum, solid{[3]float64(iso.axes), [3]float64(iso.flat)}.lines(size)+iso.byGroups(iso.others, size))
	}
	return sum
}

// byGroups is the least weight of the lines in groups of directions, each alone.
func (iso *isoperimetry) byGroups(groups [][]stencil.Step, size int) float64 {
	dims := len(iso.grid.Extents)
	var sum float64
	for _, group := range groups {
		low, high := make([]int, len(group)), make([]int, len(group))
		for i, s := range group {
			low[i], high[i] = 1, size
			if d := alongAxis(s.Offset); d >= 0 {
				// No more lines than cross the grid.
				high[i] = min(size, iso.grid.Vertices()/iso.grid.Extents[d])
			}
		}
		sum += leastLines(weights(group), low, high, size, dims)
	}
	return sum
}

// ringLines is lines along the dimensions only, of which lines that lie wholly
// in the set do not leave it. A set with a whole ring along one dimension meets
// as many lines of every other as the ring is long.
func (iso *isoperimetry) ringLines(size int) float64 {
	dims := len(iso.grid.Extents)
	best := math.Inf(1)
	for whole := range 1 << dims {
		low, high, rings := slices.Repeat([]int{1}, dims), slices.Repeat([]int{size}, dims), 0.0
		possible := true
		for d, extent := range iso.grid.Extents {
			if whole>>d&1 == 0 {
				continue
			}
			possible = possible && iso.grid.Wraps(d) && extent <= size
			rings += iso.axes[d] * float64(size/extent)
			for other := range low {
				if other != d {
					low[other] = max(low[other], min(size, extent))
				}
			}
		}
		if possible {
			best = min(best, leastLines(iso.axes, low, high, size, dims)-rings)
		}
	}
	return max(0, best)
}

// leastLines is the least sum of weights times whole numbers between low and
// high whose product is size^(dims-1) or more; with fewer weights than
// dimensions, of their low.
func leastLines(weights []float64, low, high []int, size, dims int) float64 {
	var floor float64
	for i, w := range weights {
		floor += w * float64(low[i])
	}
	if len(weights) < dims {
		return floor
	}
	product := math.Pow(float64(size), float64(dims-1)) * (1 - 1e-12)
	smooth := max(floor, smoothLines(weights, size, dims))
	if dims == 1 || dims == 3 && size > 4096 || dims == 4 && size > 128 || dims > 4 {
		return smooth
	}
	best := math.Inf(1)
	var each func(i int, left, cost float64)
	each = func(i int, left, cost float64) {
		if i == len(weights)-1 {
			need := max(float64(low[i]), math.Ceil(left))
			if need <= float64(high[i]) {
				best = min(best, cost+weights[i]*need)
			}
			return
		}
		for p := low[i]; p <= high[i]; p++ {
			next := cost + weights[i]*float64(p)
			if next >= best {
				return
			}
			each(i+1, left/float64(p), next)
		}
	}
	each(0, product, 0)
	if math.IsInf(best, 1) {
		return smooth
	}
	return best
}

// smoothLines is leastLines over all positive numbers.
func smoothLines(weights []float64, size, dims int) float64 {
	if len(weights) < dims {
		return 0
	}
	product := 1.0
	for _, w := range weights {
		product *= w
	}
	return float64(dims) * math.Pow(product, 1/float64(dims)) * math.Pow(float64(size),
		float64(dims-1)/float64(dims)) * (1 - 1e-12)
}
