package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"remap/feedback"
	"remap/mapping"
)

// length is a job that runs for so many steps, 0 = steady state, with messages so many
// times as large.
type length struct {
	name     string
	steps    int
	messages float64
}

// lengths are those at which a mapping found in steady state is judged.
func lengths() []length {
	return []length{{"steady", 0, 1}, {"1 step", 1, 1}, {"3 steps", 3, 1}, {"10 steps", 10, 1},
		{"30 steps", 30, 1},
		{"messages a tenth", 0, 0.1}, {"ten times", 0, 10}}
}

func lengthsHeader(against string) string {
	var names strings.Builder
	for _, l := range lengths() {
		fmt.Fprintf(&names, " %s |", l.name)
	}
	return fmt.Sprintf("| over %s, %% |%s\n|---|%s\n", against, names.String(),
		strings.Repeat("---|", len(lengths())))
}

// lengthsCells is the gain of the mapping found over the best static mapping and over the
// default at all lengths, a row each; empty where it is both of them.
func (row *loopRow) lengthsCells(t testing.TB) (overStatic, overDefault string) {
	t.Helper()
	found := row.found.mapping
	if slices.Equal(found, row.start.mapping) {
		return "", ""
	}
	over := [2]strings.Builder{}
	for _, l := range lengths() {
		fast := row.bench.times(t, l, found)
		for i, other := range []mapping.Mapping{row.static.mapping, row.start.mapping} {
			slow := row.bench.times(t, l, other)
			fmt.Fprintf(&over[i], " %s |", gainText(fast.gainOver(slow)))
		}
	}
	overDefault = fmt.Sprintf("| %s |%s\n", row.scenario, over[1].String())
	if !slices.Equal(found, row.static.mapping) {
		overStatic = fmt.Sprintf("| %s |%s\n", row.scenario, over[0].String())
	}
	return overStatic, overDefault
}

// times plays a mapping at a length on the fresh seeds.
func (b *loopBench) times(t testing.TB, l length, m mapping.Mapping) timedRow {
	t.Helper()
	o := b.Options
	o.Steps = l.steps
	program := b.Program
	if l.messages != 1 {
		program = program.WithMessages(l.messages)
	}
	evaluate := feedback.Simulator(b.Problem.Machine, b.Problem.Allocation, program, o,
		runtime.GOMAXPROCS(0), b.Background...)
	e, err := evaluate(context.Background(), m, freshRepeat, b.settings.ValidationRepeats)
	if err != nil {
		t.Fatalf("%s, %s: %v", b.Name, l.name, err)
	}
	return timedRow{l.name, e.Times(), m}
}
