package picture_test

import (
	"fmt"

	"remap/counters"
	"remap/linkview"
	"remap/picture"
	"remap/topology"
)

// A picture of what port counters tell of two links of a mesh.
func ExampleNetwork() {
	machine, err := topology.Parse("mesh:2x1")
	if err != nil {
		fmt.Println(err)
		return
	}
	n := len(machine.Links)
	measured := &counters.Links{Rate: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	for i, link := range machine.Links {
		if !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			measured.Rate[i], measured.Congested[i], measured.Known[i] = 5e9, 0.25, true
		}
	}
	view := linkview.FromCounters(machine, measured)
	scene, err := picture.Network(machine, []picture.Panel{{View: view}},
		picture.NetworkOptions{Title: "two switches"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, shape := range scene.Shapes {
		if shape.Kind == picture.Line && shape.ID != "" {
			fmt.Println(shape.ID, shape.Title)
		}
	}
	// Output:
	// l3 s0-0 to s1-0: 40 of 100 Gb/s, congested 0.25
	// l5 s1-0 to s0-0: 40 of 100 Gb/s, congested 0.25
}
