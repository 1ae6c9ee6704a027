package strategy

import (
	"slices"

	"remap/kernighanlin"
	"remap/mapping"
)

// Settle gives the problem whose start keeps fixed ranks on their slots, with
// the moves that are left after these, and the ranks they drive from their hosts,
// have gone there. A Fixed that fixes nobody becomes nil.
//
// moves tells whether ranks may still move; if not, the start of the result is
// the only mapping (MaxMoves, for which 0 is no limit, cannot say so).
// Error: *mapping.TooManyMoves. O(slots).
func Settle(p *mapping.Problem) (settled *mapping.Problem, moves bool, err error) {
	step := *p
	if !slices.ContainsFunc(p.Fixed, func(s int32) bool { return s >= 0 }) {
		step.Fixed = nil
		return &step, true, nil
	}
	start, err := kernighanlin.SettleFixed(p)
	if err != nil {
		return nil, false, err
	}
	if p.Start != nil || !slices.Equal(start, mapping.Identity(p.Ranks())) {
		step.Start = start
	}
	if p.MaxMoves <= 0 {
		return &step, true, nil
	}
	step.MaxMoves -= p.Moves(start)
	return &step, step.MaxMoves > 0, nil
}
