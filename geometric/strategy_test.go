package geometric

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/input"
	"remap/mapping"
)

// both are the strategies that need places.
func both() []mapping.Strategy {
	return []mapping.Strategy{RecursiveCoordinateBisection(), Hilbert()}
}

// The slots chosen for the ranks are filled, no others, on any machine; a
// second run gives the same, and an ended context its error.
func TestContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		before, values := *p, slices.Clone(p.Coordinates.Values)
		chosen := mapping.NewPlaces(p.Machine, p.Allocation, nil).Compact(p.Ranks())
		for _, s := range append(both(), Curves()) {
			m := mustMap(t, s, p)
			if !slices.Equal(slices.Sorted(slices.Values(m)), chosen) {
				t.Fatalf("%s: slots %v, want %v", s.Name, m, chosen)
			}
			if again := mustMap(t, s, p); !slices.Equal(m, again) {
				t.Fatalf("%s: a second run differs", s.Name)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := s.Map(ctx, p); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: an ended context gives %v", s.Name, err)
			}
		}
		if !reflect.DeepEqual(before, *p) || !slices.Equal(values, p.Coordinates.Values) {
			t.Fatal("a strategy wrote to its problem")
		}
	})
}

func TestFewRanks(t *testing.T) {
	for _, spec := range machines {
		machine := mustMachine(t, spec)
		for ranks := range 3 {
			p := &mapping.Problem{Graph: &commgraph.Graph{Offsets: make([]int32, ranks+1)}, Grid: []int{ranks},
				Machine:    machine,
				Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}
			for _, s := range append(both(), Curves()) {
				mustMap(t, s, p)
				p.Coordinates = &commgraph.Coordinates{Dimensions: 1, Values: make([]int32, ranks)} // all at one place
				mustMap(t, s, p)
				p.Coordinates = nil
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, s := range both() {
		p := job(t, "mesh:4x4", "stencil2d:4x4")
		p.Grid = nil
		refused := func(want error) {
			t.Helper()
			m, err := s.Map(context.Background(), p)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v and error %v, want %v", s.Name, m, err, want)
			}
			if want == ErrNoCoordinates && input.Hint(err) == "" {
				t.Errorf("%v has no hint", err)
			}
		}
		refused(ErrNoCoordinates)
		p.Coordinates = &commgraph.Coordinates{}
		refused(ErrNoCoordinates)
		p.Coordinates = &commgraph.Coordinates{Dimensions: 2, Values: slices.Repeat([]int32{-1}, 32)}
		refused(ErrNoCoordinates)
		p.Coordinates.Values = make([]int32, 30)
		if _, err := s.Map(context.Background(), p); err == nil {
			t.Errorf("%s: 15 places for 16 ranks", s.Name)
		}
		p.Coordinates, p.Grid = nil, []int{4, 4}
		p.Fixed = slices.Repeat([]int32{-1}, 16)
		mustMap(t, s, p)
		p.Fixed[3] = 5
		refused(ErrFixed)
		if _, err := Curves().Map(context.Background(), p); !errors.Is(err, ErrFixed) {
			t.Errorf("curves: %v", err)
		}
		p.Fixed, p.MaxMoves, p.Start = nil, 1, slices.Clone(mapping.Identity(16))
		slices.Reverse(p.Start)
		p.Start[0], p.Start[5] = p.Start[5], p.Start[0]
		var moves *mapping.TooManyMoves
		if _, err := s.Map(context.Background(), p); !errors.As(err, &moves) {
			t.Errorf("%s: %v, want a refusal of more than a move", s.Name, err)
		}
	}
}

// A rank without a place sits with the rank it talks to, and one that talks to
// that one too.
func TestRanksWithoutPlaceJoinTheirPartners(t *testing.T) {
	machine := mustMachine(t, "mesh:3x3")
	var flows []commgraph.Flow
	c := &commgraph.Coordinates{Dimensions: 2, Values: slices.Repeat([]int32{-1}, 54)}
	for r := range int32(9) {
		c.Values[2*r], c.Values[2*r+1] = 10*(r%3), 10*(r/3)
		flows = append(flows, commgraph.Flow{From: r, To: 26 - r, Bytes: 5},
			commgraph.Flow{From: 26 - r, To: 9 + r, Bytes: 2})
	}
	traffic, err := commgraph.NewTraffic(27, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &mapping.Problem{Graph: traffic.Graph(), Coordinates: c, Machine: machine,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(9), Slots: slices.Repeat([]int32{3}, 9)}}
	for _, s := range both() {
		if cost := p.Cost(mustMap(t, s, p)); cost != 0 {
			t.Errorf("%s: cost %v, want 0: every pair on one host", s.Name, cost)
		}
	}
}

// The median of places pulls with the bytes; the middle counts where both sides
// pull alike; nobody with a place in reach means the middle of all.
func TestSettle(t *testing.T) {
	flows := []commgraph.Flow{{From: 4, To: 0, Bytes: 5}, {From: 4, To: 1, Bytes: 3}, {From: 4, To: 2, Bytes: 1},
		{From: 5, To: 0, Bytes: 2}, {From: 5, To: 3, Bytes: 2}, {From: 6, To: 5, Bytes: 1},
		{From: 7, To: 8, Bytes: 9}}
	traffic, err := commgraph.NewTraffic(9, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	c := &commgraph.Coordinates{Dimensions: 1, Values: []int32{0, 3, 8, 9, -1, -1, -1, -1, -1}}
	got, err := ranksOf(&mapping.Problem{Graph: traffic.Graph(), Coordinates: c})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 6, 16, 18, 0, 9, 9, 9, 9}; !slices.Equal(got.values, want) {
		t.Errorf("places %v, want %v (doubled)", got.values, want)
	}
}
