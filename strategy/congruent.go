package strategy

import (
	"context"
	"errors"

	"remap/commgraph"
	"remap/mapping"
	"remap/stencil"
	"remap/tiling"
)

// errIncongruent is the refusal of congruent.
var errIncongruent = errors.New("the grid of the ranks is not that of the network")

// congruent lays a grid of ranks onto a torus or mesh of the same shape, or one
// whose switches each take a box of it: of all ways to pair their dimensions
// whose extents are multiples of the network's the best. With neighbours along
// the dimensions alone and one rank a switch every edge is one cable, which is
// as short as can be. It refuses other grids, and allocations without a slot
// for every cell where it lies.
func congruent() mapping.Strategy {
	return mapping.Strategy{Name: "congruent", Doc: "the grid of the ranks laid onto a torus or mesh of its shape", Map: layGrid}
}

func layGrid(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	switch {
	case p.Machine.Routes == nil || p.Machine.Routes.Grid == nil:
		return nil, errIncongruent
	case p.Fixed != nil:
		return nil, tiling.ErrFixed
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	grid, err := tiling.GridOf(p)
	if err != nil {
		return nil, err
	}
	network := p.Machine.Routes.Grid.Extents
	var best mapping.Mapping
	var least int64
	pairings(grid.Extents, network, func(axes []int) {
		m, err := mapping.AtCoordinates(p.Machine, p.Allocation, coordinatesOf(grid, network, axes))
		if err != nil {
			return
		}
		if cost := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m); best == nil || cost < least {
			best, least = m, cost
		}
	})
	if best == nil {
		return nil, errIncongruent
	}
	return best, nil
}

// pairings calls visit with every way to give each dimension of a network one of
// the grid whose extent is a multiple of its own; axes[k] is that of dimension k.
func pairings(grid []int, network []int16, visit func(axes []int)) {
	const most = 6 // dimensions: 720 ways
	if len(grid) != len(network) || len(grid) > most {
		return
	}
	axes := make([]int, 0, len(grid))
	used := make([]bool, len(grid))
	var pair func()
	pair = func() {
		k := len(axes)
		if k == len(network) {
			visit(axes)
			return
		}
		for d, extent := range grid {
			if used[d] || extent%int(network[k]) != 0 {
				continue
			}
			used[d] = true
			axes = append(axes, d)
			pair()
			axes = axes[:k]
			used[d] = false
		}
	}
	pair()
}

// coordinatesOf gives every rank the switch whose box of cells it lies in.
func coordinatesOf(grid *stencil.Grid, network []int16, axes []int) *commgraph.Coordinates {
	ranks, dimensions := grid.Vertices(), len(network)
	c := &commgraph.Coordinates{Dimensions: dimensions, Values: make([]int32, ranks*dimensions)}
	position := make([]int, dimensions) // of a cell along each dimension of the grid
	for r := range ranks {
		rest := int(grid.Cell(int32(r)))
		for d, extent := range grid.Extents {
			position[d] = rest % extent
			rest /= extent
		}
		for k, d := range axes {
			c.Values[r*dimensions+k] = int32(position[d] * int(network[k]) / grid.Extents[d])
		}
	}
	return c
}
