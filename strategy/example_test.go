package strategy_test

import (
	"context"
	"fmt"
	"log"

	"remap/mapping"
	"remap/strategy"
	"remap/topology"
	"remap/workload"
)

// One strategy maps a grid of 16 ranks onto a torus of 16 hosts.
func ExampleParse() {
	machine, err := topology.Parse("torus:4x4")
	if err != nil {
		log.Fatal(err)
	}
	program, err := workload.ParsePattern("stencil2d:8x2,bytes=4096")
	if err != nil {
		log.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		log.Fatal(err)
	}
	hosts := &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}
	problem := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: hosts}
	for _, name := range []string{"identity", "rcm+swap"} {
		s, err := strategy.Parse(name)
		if err != nil {
			log.Fatal(err)
		}
		m, err := s.Map(context.Background(), problem)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d byte-hops\n", s.Name, mapping.PathBytes(machine, hosts, problem.Graph, m))
	}
	// Output:
	// identity: 442368 byte-hops
	// rcm+swap: 360448 byte-hops
}
