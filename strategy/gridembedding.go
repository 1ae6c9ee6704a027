package strategy

import (
	"context"
	"errors"

	"remap/commgraph"
	"remap/mapping"
	"remap/stencil"
	"remap/tiling"
)

// errNoEmbedding is the refusal of gridEmbedding.
var errNoEmbedding = errors.New("the grid of the ranks is not that of the network")

// gridEmbedding lays a grid of ranks onto a torus or mesh with as many dimensions.
// Each dimension of the network takes one of the grid whose extent is a multiple of
// its own, so that each switch takes a box of cells. Of all such pairings it takes the
// one of the shortest paths. Where neighbours lie along the dimensions alone and each
// switch takes one rank, every edge is one cable, which is as short as can be. It
// refuses other grids, and allocations that lack the slot of a cell.
func gridEmbedding() adapter {
	return adapter{Strategy: mapping.Strategy{Name: "grid embedding",
		Doc: "the grid of the ranks laid onto a torus or mesh of its shape", Map: embedGrid}}
}

func embedGrid(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	switch {
	case p.Machine.Routes == nil || p.Machine.Routes.Grid == nil:
		return nil, errNoEmbedding
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
		return nil, errNoEmbedding
	}
	return best, nil
}

// pairings calls visit with every choice of a dimension of the grid for each dimension
// of the network, whose extent it is a multiple of; axes[k] is that of dimension k.
func pairings(grid []int, network []int16, visit func(axes []int)) {
	if len(grid) != len(network) || len(grid) > mostPaired {
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
