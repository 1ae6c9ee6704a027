package remap_test

import (
	"context"
	"fmt"
	"os"

	"remap"
	"remap/job"
	"remap/launcher"
)

// A recorded profile and a network become a mapping of 64 ranks that the loop has found, as a
// rankfile of Open MPI. (`remap optimize --graph ... --format openmpi-rankfile` does the same.)
func Example() {
	o := job.DefaultOptions()
	o.Topology = "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0"
	o.Graph, o.Messages = "fixtures/heat64.size.csv", "fixtures/heat64.count.csv"
	j, err := job.Open(o)
	check(err)
	search, err := remap.DefaultSearch(j)
	check(err)
	search.Rounds, search.Simulations, search.RandomRestarts = 1, 8, false // a short search
	found, err := remap.Optimize(context.Background(), j, search)
	check(err)
	file, err := os.CreateTemp("", "heat.rankfile")
	check(err)
	defer os.Remove(file.Name())
	check(launcher.Write(file, "openmpi-rankfile", j.Machine, j.Allocation, found.Best.Mapping))
	check(file.Close())
	fmt.Println("a third faster than before:",
		found.Best.Summary.ElapsedNS < found.Start.Summary.ElapsedNS*2/3)
	// Output: a third faster than before: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
