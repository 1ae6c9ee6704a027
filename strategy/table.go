// Package strategy is the one visible table of named mapping strategies, and
// the parser of what users write: name, name:option=value, and chains a+b.
package strategy

import (
	"fmt"
	"strconv"
	"strings"

	"remap/exchange"
	"remap/geometric"
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
		list[i] = r.kept()
	}
	return list
}

// row is a strategy of the table, what it keeps by itself, and how to set its
// options.
type row struct {
	keeper
	options []string                                                 // names it understands
	with    func(values map[string]string) (mapping.Strategy, error) // nil when there are no options
}

// table is a function, not a variable, so that nobody can change it.
func table() []row {
	return []row{
		{keeper: keeper{Strategy: mapping.IdentityStrategy(), fixed: true, plain: true}},
		{keeper: keeper{Strategy: mapping.CyclicStrategy(), fixed: true, plain: true}},
		{keeper: keeper{Strategy: mapping.RandomStrategy(), fixed: true, plain: true}},
		{keeper: ordering(false), options: []string{"weighted"}, with: orderingWith},
		{keeper: keeper{Strategy: partition.Bisection(), fixed: true}},
		{keeper: multisection(), options: []string{"preset"}, with: multisectionWith},
		{keeper: keeper{Strategy: partition.Fast(), fixed: true}},
		{keeper: keeper{Strategy: partition.Default(), fixed: true}},
		{keeper: keeper{Strategy: partition.Strong(), fixed: true}},
		{keeper: passes(), options: []string{"order"}, with: passesWith},
		{keeper: keeper{Strategy: exchange.Strategy(), fixed: true, limit: true}},
		{keeper: cuboids()},
		{keeper: curve()},
		{keeper: numbers()},
		{keeper: tiles(), options: []string{"levels"}, with: tilingWith},
		{keeper: keeper{Strategy: best(usualEffort), fixed: true, limit: true}, options: []string{"trials", "rounds", "seconds"}, with: bestWith},
	}
}

// What best is made of too.
func multisection() keeper { return keeper{Strategy: partition.Multisection(), fixed: true} }
func passes() keeper       { return keeper{Strategy: kernighanlin.Strategy(), fixed: true, limit: true} }
func cuboids() keeper      { return keeper{Strategy: geometric.RecursiveCoordinateBisection()} }
func curve() keeper        { return keeper{Strategy: geometric.Hilbert()} }
func numbers() keeper      { return keeper{Strategy: geometric.Curves()} }
func tiles() keeper        { return keeper{Strategy: tiling.Strategy(tiling.AllLevels)} }

func ordering(weighted bool) keeper {
	return keeper{Strategy: rcm.StrategyWith(rcm.Options{Weighted: weighted})}
}

func orderingWith(values map[string]string) (mapping.Strategy, error) {
	weighted, err := yesNo(values, "weighted")
	return ordering(weighted).Strategy, err
}

// passesWith knows the orders in which kl visits pairs of places.
func passesWith(values map[string]string) (mapping.Strategy, error) {
	options := kernighanlin.DefaultOptions
	switch values["order"] {
	case "place":
	case "expense":
		options.ExpensiveFirst = true
	default:
		return mapping.Strategy{}, fmt.Errorf("order=%s is neither place nor expense", values["order"])
	}
	return kernighanlin.StrategyWith(options), nil
}

// multisectionWith knows the presets by their names.
func multisectionWith(values map[string]string) (mapping.Strategy, error) {
	var known []string
	for _, preset := range []partition.Preset{partition.FastPreset, partition.DefaultPreset, partition.StrongPreset} {
		if values["preset"] == preset.Name {
			return preset.Strategy(), nil
		}
		known = append(known, preset.Name)
	}
	return mapping.Strategy{}, fmt.Errorf("preset=%s is none of %s", values["preset"], strings.Join(known, ", "))
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

// yesNo reads an option that is true or false.
func yesNo(values map[string]string, option string) (bool, error) {
	switch values[option] {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%s=%s is neither true nor false", option, values[option])
}
