package workload_test

import (
	"fmt"
	"log"

	"remap/workload"
)

// A pattern is a program of operations for every rank. Folded, it is the traffic between
// ranks that strategies map.
func ExampleParsePattern() {
	program, err := workload.ParsePattern("stencil2d:3x2,bytes=4096,rounds=10")
	if err != nil {
		log.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(program.Ranks(), "ranks; rank 0 sends:")
	for i := traffic.Offsets[0]; i < traffic.Offsets[1]; i++ {
		fmt.Println(traffic.Bytes[i], "bytes to rank", traffic.Destinations[i])
	}
	// Output:
	// 6 ranks; rank 0 sends:
	// 40960 bytes to rank 1
	// 40960 bytes to rank 3
}
