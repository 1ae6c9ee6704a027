package evalsim_test

import (
	"context"
	"fmt"
	"log"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// Two placements of the same four-rank ring on a fat tree with two hosts a leaf: in order,
// and with neighbours on different leaves.
func Example() {
	machine, err := topology.Parse("fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		log.Fatal(err)
	}
	ring, err := workload.ParsePattern("stencil2d:4x1,bytes=1000000,rounds=3")
	if err != nil {
		log.Fatal(err)
	}
	for _, hosts := range [][]int32{{0, 1, 2, 3}, {0, 2, 1, 3}} {
		job := evalsim.Job{Program: ring, Hosts: hosts}
		result, err := evalsim.Run(context.Background(), machine, []evalsim.Job{job}, evalsim.DefaultOptions())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("hosts %v: %.0f us, %d of %d port crossings congested\n",
			hosts, result.Makespan/1000, result.Congested, result.PortHops)
	}
	// Output:
	// hosts [0 1 2 3]: 801 us, 0 of 7350 port crossings congested
	// hosts [0 2 1 3]: 1022 us, 2721 of 13230 port crossings congested
}
