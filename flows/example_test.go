package flows_test

import (
	"context"
	"fmt"

	"remap/flows"
	"remap/workload"
)

// Three ranks on two hosts send 1 MB around a ring, twice.
func Example() {
	program, err := workload.ParsePattern("ring:3,bytes=1000000")
	if err != nil {
		fmt.Println(err)
		return
	}
	hosts := []flows.Host{{Name: "a", Address: "127.0.0.1"}, {Name: "b", Address: "127.0.0.1"}}
	options := flows.DefaultOptions()
	options.Steps = 2
	job, err := flows.Start(context.Background(), program, hosts, []int32{0, 0, 1}, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := job.Wait(); err != nil {
		fmt.Println(err)
		return
	}
	counts := job.Snapshot()
	fmt.Println(counts.Steps(), "steps,", counts.Received(), "bytes over the network")
	for rank, c := range counts.Ranks {
		fmt.Printf("rank %d: %d sent, %d received, %d within its host\n", rank, c.Sent, c.Received, c.Local)
	}
	// Output:
	// 2 steps, 4000000 bytes over the network
	// rank 0: 2000000 sent, 0 received, 2000000 within its host
	// rank 1: 0 sent, 2000000 received, 0 within its host
	// rank 2: 2000000 sent, 2000000 received, 0 within its host
}
