package launcher_test

import (
	"fmt"
	"log"
	"os"

	"remap/launcher"
	"remap/mapping"
	"remap/topology"
)

// A mapping of four ranks on two hosts with two slots each, as a rankfile for Open MPI.
func Example() {
	machine, err := topology.Parse("torus:4x1")
	if err != nil {
		log.Fatal(err)
	}
	hosts := &mapping.Allocation{Hosts: []int32{0, 2}, Slots: []int32{2, 2}}
	placed := mapping.Mapping{0, 2, 3, 1} // slot of every rank
	if err := launcher.Write(os.Stdout, "openmpi-rankfile", machine, hosts, placed); err != nil {
		log.Fatal(err)
	}
	for _, l := range launcher.Launches("openmpi-rankfile", "job.rankfile", "job.hosts",
		launcher.NewPlacement(machine, hosts, placed), launcher.Options{}) {
		fmt.Printf("%s: %s\n", l.Launcher, l.Line("PROGRAM"))
	}
	// Output:
	// rank 0=n0 slot=0
	// rank 1=n2 slot=0
	// rank 2=n2 slot=1
	// rank 3=n0 slot=1
	// Open MPI 4: mpirun -np 4 --hostfile job.hosts --rankfile job.rankfile PROGRAM
	// Open MPI 5: mpirun -np 4 --hostfile job.hosts --map-by rankfile:FILE=job.rankfile PROGRAM
}
