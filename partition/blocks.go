package partition

import (
	"remap/internal/hierarchy"
	"remap/mapping"
)

// Blocks groups the slots a strategy fills by the places of the network: all
// slots of the allocation when there are as many ranks, otherwise as many
// slots as ranks, chosen close together. Every block is then filled exactly.
// See hierarchy.Tree for the shape.
func Blocks(p *mapping.Problem) *hierarchy.Tree { return hierarchy.Compact(p) }
