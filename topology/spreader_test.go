package topology

import (
	"math"
	"testing"
)

// What was added reaches its destination whole, over links of shortest paths alone.
func TestSpreaderCarriesAll(t *testing.T) {
	for _, spec := range []string{"torus:4x4x4", "mesh:3x3", "xgft:down=2x2x2,up=1x2x2",
		"dragonfly:groups=5,routers=2,hosts=2,global=2"} {
		machine, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		leaf := make([]bool, machine.Switches())
		for h := range int32(machine.Hosts()) {
			leaf[machine.LeafSwitch(h)] = true
		}
		s := NewSpreader(machine)
		for h := range int32(machine.Hosts()) {
			to := machine.LeafSwitch(h)
			sum, arrived := 0.0, 0.0
			for from := range int32(machine.Switches()) {
				if leaf[from] && machine.SwitchDistance(from, to) > 0 {
					s.Add(from, to, float64(from+1))
					sum += float64(from + 1)
				}
			}
			met := map[int32]bool{}
			s.Spread(to, func(link int32, amount float64) {
				a, b := machine.SwitchOf(machine.Links[link].From), machine.SwitchOf(machine.Links[link].To)
				if met[link] || machine.SwitchDistance(b, to) != machine.SwitchDistance(a, to)-1 {
					t.Fatalf("%s: link %d from switch %d to %d is visited twice or on no shortest path to %d",
						spec, link, a, b, to)
				}
				if met[link] = true; b == to {
					arrived += amount
				}
			})
			if math.Abs(arrived-sum) > 1e-9*sum {
				t.Fatalf("%s: %g of %g arrive at switch %d", spec, arrived, sum, to)
			}
		}
	}
}

// In a fat tree a leaf switch sends half over each of its parents and a quarter over
// each switch at the top; all of it meets again at the other leaf switch.
func TestSpreaderDividesEqually(t *testing.T) {
	machine, err := Parse("xgft:down=2x2x2,up=1x2x2")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSpreader(machine)
	s.Add(0, 2, 1)
	into := make([]float64, machine.Switches())
	s.Spread(2, func(link int32, amount float64) { into[machine.SwitchOf(machine.Links[link].To)] += amount })
	want := []float64{0, 0, 1, 0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25}
	for sw, amount := range want {
		if math.Abs(into[sw]-amount) > 1e-12 {
			t.Errorf("switch %d gets %g, want %g (all: %v)", sw, into[sw], amount, into)
		}
	}
}
