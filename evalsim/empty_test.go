package evalsim

import (
	"testing"

	"remap/topology"
)

// empty is a simulator of a network without jobs, at time 0.
func empty(t *testing.T, spec string, o Options) *simulator {
	t.Helper()
	top, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	simulation, err := New(top, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulator(simulation.network, nil, &simulation.options)
	s.reset(1)
	return s
}
