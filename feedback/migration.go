package feedback

import (
	"context"
	"fmt"

	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// Migrate tells how long, in ns, the ranks take to move from the hosts that they
// have under one mapping to those of another.
type Migrate func(ctx context.Context, from, to mapping.Mapping) (ns float64, err error)

// Migration is the Migrate of ranks that carry `bytes` > 0 of state each. All ranks that move send
// their state at once, from the old host to the new one; the time is that of the slowest. The job
// itself stands still; background jobs go on.
//
// The messages are simulated once. Of long messages only the beginning is simulated, and the rest
// is taken to go on at the same rate. The time of a host's memory does not count. Errors: those of
// the simulator.
func Migration(t *topology.Topology, a *mapping.Allocation, bytes int64, o evalsim.Options,
	background ...evalsim.Job) Migrate {
	o.FlowCounts, o.OwnLinks, o.StartJitter, o.EagerBytes, o.Steps = false, false, 0, 0, 1
	o.Sampling = evalsim.Options{}.Sampling
	return func(ctx context.Context, from, to mapping.Mapping) (float64, error) {
		if bytes < 1 {
			return 0, fmt.Errorf("%d bytes of state: must be at least 1", bytes)
		}
		before, after := from.Hosts(a), to.Hosts(a)
		var out, in []int32
		for r, h := range before {
			if h != after[r] {
				out, in = append(out, h), append(in, after[r])
			}
		}
		if len(out) == 0 {
			return 0, nil
		}
		each := min(bytes, int64(o.PacketBytes*max(1, min(migrationPackets, allPackets/len(out)))))
		program := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
		for i := range out { // the senders, then the receivers
			program.Ops = append(program.Ops, workload.Op{Kind: workload.Send, Peer: int32(len(out) + i),
				Bytes: each})
			program.Offsets = append(program.Offsets, int32(i+1))
		}
		for range in {
			program.Offsets = append(program.Offsets, int32(len(out)))
		}
		jobs := append([]evalsim.Job{{Program: program, Hosts: append(out, in...)}}, background...)
		results, err := evalsim.Repeat(ctx, t, jobs, o, 1, 1, nil)
		if err != nil {
			return 0, err
		}
		return evalsim.FirstJob(results)[0].Makespan * (float64(bytes) / float64(each)), nil
	}
}
