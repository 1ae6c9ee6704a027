// Package strategy is the one visible table of named mapping strategies, and
// the parser of what users write: name, name:option=value, and chains a+b.
package strategy

import (
	"fmt"
	"strconv"

	"remap/kernighanlin"
	"remap/mapping"
	"remap/partition"
	"remap/rcm"
	"remap/tiling"
)

// Table lists every strategy with its default options, in the order shown to users.
func Table() []mapping.Strategy {
	rows := table()
	list := make([]mapping.Strategy, len(rows))
	for i, r := range rows {
		list[i] = r.Strategy
	}
	return list
}

// row is a strategy of the table and how to set its options.
type row struct {
	mapping.Strategy
	options []string                                                 // names it understands
	with    func(values map[string]string) (mapping.Strategy, error) // nil when there are no options
}

// table is a function, not a variable, so that nobody can change it.
func table() []row {
	return append(basic(), row{Strategy: best(usualEffort), options: []string{"trials", "rounds", "seconds"}, with: bestWith})
}

// basic is the table without those made of others.
func basic() []row {
	return []row{
		{Strategy: mapping.IdentityStrategy()},
		{Strategy: mapping.CyclicStrategy()},
		{Strategy: mapping.RandomStrategy()},
		{Strategy: rcm.Strategy()},
		{Strategy: partition.Bisection()},
		{Strategy: partition.Multisection()},
		{Strategy: kernighanlin.Strategy()},
		{Strategy: tiling.Strategy(tiling.AllLevels), options: []string{"levels"}, with: tilingWith},
	}
}

func tilingWith(values map[string]string) (mapping.Strategy, error) {
	levels, err := whole(values, "levels", 1, 100)
	return tiling.Strategy(levels), err
}

// whole reads an option that is a whole number between two bounds.
func whole(values map[string]string, option string, low, high int) (int, error) {
	n, err := strconv.Atoi(values[option])
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s=%s is not a whole number from %d to %d", option, values[option], low, high)
	}
	return n, nil
}
