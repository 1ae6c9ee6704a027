package topology_test

import (
	"fmt"
	"log"

	"remap/topology"
)

// A torus from its spec, and the same network with one cable failed.
func Example() {
	machine, err := topology.Parse("torus:4x3")
	if err != nil {
		log.Fatal(err)
	}
	failed, err := topology.Degrade(machine, []string{"s1-1:s2-1"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []*topology.Topology{machine, failed} {
		fmt.Println(t.Hosts(), "hosts,", t.Switches(), "switches,", len(t.Links), "directed links;",
			"n5 to n6 crosses", t.PathLength(5, 6), "switches")
	}
	// Output:
	// 12 hosts, 12 switches, 72 directed links; n5 to n6 crosses 2 switches
	// 12 hosts, 12 switches, 70 directed links; n5 to n6 crosses 4 switches
}
