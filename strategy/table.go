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
		list[i] = r.adapted()
	}
	return list
}

// row is a strategy of the table with its constraint adapter, and how to set its
// options.
type row struct {
	adapter

	// options are the names that the strategy understands.
	options []string

	// with is the strategy with options set; nil when there are none.
	with func(values map[string]string) (mapping.Strategy, error)
}

// table is a function, not a variable, so that nobody can change it.
func table() []row {
	return []row{
		{adapter: baseline(mapping.IdentityStrategy())},
		{adapter: baseline(mapping.CyclicStrategy())},
		{adapter: baseline(mapping.RandomStrategy())},
		{adapter: ordering(false), options: []string{"weighted"}, with: orderingWith},
		{adapter: adapter{Strategy: partition.Bisection(), keepsFixed: true}},
		{adapter: multisection(), options: []string{"preset"}, with: multisectionWith},
		{adapter: adapter{Strategy: partition.Fast(), keepsFixed: true}},
		{adapter: adapter{Strategy: partition.Default(), keepsFixed: true}},
		{adapter: adapter{Strategy: partition.Strong(), keepsFixed: true}},
		{adapter: passes(), options: []string{"order"}, with: passesWith},
		{adapter: adapter{Strategy: exchange.Strategy(), keepsFixed: true, keepsLimit: true}},
		{adapter: cuboids()},
		{adapter: curve()},
		{adapter: numbers()},
		{adapter: tiles(), options: []string{"levels"}, with: tilingWith},
		{adapter: portfolioOf(usualEffort), options: []string{"trials", "rounds", "seconds"}, with: bestWith},
	}
}

// baseline is a strategy that the others are compared with.
func baseline(s mapping.Strategy) adapter {
	return adapter{Strategy: s, keepsFixed: true, baseline: true}
}

func portfolioOf(e effort) adapter {
	return adapter{Strategy: best(e), keepsFixed: true, keepsLimit: true}
}

// What best is made of too.
func multisection() adapter { return adapter{Strategy: partition.Multisection(), keepsFixed: true} }
func passes() adapter {
	return adapter{Strategy: kernighanlin.Strategy(), keepsFixed: true, keepsLimit: true}
}
func cuboids() adapter { return adapter{Strategy: geometric.RecursiveCoordinateBisection()} }
func curve() adapter   { return adapter{Strategy: geometric.Hilbert()} }
func numbers() adapter { return adapter{Strategy: geometric.Curves()} }
func tiles() adapter   { return adapter{Strategy: tiling.Strategy(tiling.AllLevels)} }

func ordering(weighted bool) adapter {
	return adapter{Strategy: rcm.StrategyWith(rcm.Options{Weighted: weighted})}
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
	presets := []partition.Preset{partition.FastPreset, partition.DefaultPreset, partition.StrongPreset}
	for _, preset := range presets {
		if values["preset"] == preset.Name {
			return preset.Strategy(), nil
		}
		known = append(known, preset.Name)
	}
	err := fmt.Errorf("preset=%s is none of %s", values["preset"], strings.Join(known, ", "))
	return mapping.Strategy{}, err
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
