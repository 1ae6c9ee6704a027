package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/workload"
)

// phased is the 7-point stencil of a grid with a wait behind every direction:
// a rank goes on to the next when its own message of this one has come.
func phased(t *testing.T, extents [3]int, bytes int64) *workload.Program {
	t.Helper()
	ranks := extents[0] * extents[1] * extents[2]
	b := workload.NewBuilder(ranks, 18*ranks)
	for r := range ranks {
		at := [3]int{r % extents[0], r / extents[0] % extents[1], r / extents[0] / extents[1]}
		stride := 1
		for axis := range 3 {
			for k, step := range []int{-1, 1} {
				to, from := at[axis]+step, at[axis]-step
				tag := uint16(2*axis + k)
				if from >= 0 && from < extents[axis] {
					b.Ireceive(int32(r-step*stride), bytes, tag)
				}
				if to >= 0 && to < extents[axis] {
					b.Send(int32(r+step*stride), bytes, tag)
				}
				b.WaitAll()
			}
			stride *= extents[axis]
		}
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ejected is the share of packets that found the port to their host congested.
func ejected(results []*evalsim.Result, ejection []int32) float64 {
	var packets, congested int64
	for _, r := range results {
		for _, l := range ejection {
			packets += r.Links[l].Packets
			congested += r.Links[l].Congested
		}
	}
	return float64(congested) / float64(max(1, packets))
}

// variant is a stencil with one treatment of its edges.
type variant struct {
	name    string
	program *workload.Program
}

func boundaryVariants(t *testing.T, extents [3]int, bytes int64) []variant {
	t.Helper()
	list := []variant{{name: "skip"}, {name: "wait"}}
	for i := range list {
		spec := fmt.Sprintf("stencil3d7:%dx%dx%d,wait=true,bytes=%d,"+
			"edges=%s", extents[0], extents[1], extents[2], bytes, list[i].name)
		var err error
		if list[i].program, err = workload.ParsePattern(spec); err != nil {
			t.Fatal(err)
		}
	}
	return append(list, variant{"phases", phased(t, extents, bytes)})
}

// The boundary finding of SC'19: with edges=skip a rank at the edge is a message
// ahead, so that its message and that of the neighbour's other neighbour meet at one
// receiver. Waiting at edges, or for every direction, keeps them apart. It
// shows with one rank a host; 36 ranks of a host meet at their one link anyway.
func TestBoundaryMeetings(t *testing.T) {
	tier.Long(t, "simulations of thousands of ranks")
	extents := [3]int{16, 16, 18}
	s := fixtures.Scenario{Name: "boundary", Topology: "tapered", Pattern: "stencil3d7:16x16x18"}
	u, err := s.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	u.Options.Steps = 1 // as published
	hosts := mapScenario(t, u, "tiling").Hosts(u.Problem.Allocation)
	var near, far []int32 // ejection links: of ranks next to those at an edge, and of the others
	for r, h := range hosts {
		beside, stride := false, 1
		for _, extent := range extents {
			at := r / stride % extent
			beside = beside || at == 1 || at == extent-2
			stride *= extent
		}
		if links := u.Problem.Machine.Ejection(h); beside {
			near = append(near, links...)
		} else {
			far = append(far, links...)
		}
	}
	elapsed, meetings := map[string]float64{}, map[string]float64{}
	var table strings.Builder
	table.WriteString("ranks at the edge of a 16x16x18 grid, one rank a host, tiled; then minighost, tiled:\n" +
		"| job, edges | us | congested at the last port next to the edge % | elsewhere % |\n|---|---|---|---|\n")
	for _, v := range boundaryVariants(t, extents, 131072) {
		results, err := evalsim.Repeat(context.Background(), u.Problem.Machine,
			[]evalsim.Job{{Program: v.program, Hosts: hosts}}, u.Options, 3, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		elapsed[v.name], meetings[v.name] = float64(evalsim.Summarize(results).ElapsedNS)/1000,
			ejected(results, near)
		fmt.Fprintf(&table, "| 16x16x18, %s | %.1f | %.1f | %.1f |\n", v.name, elapsed[v.name],
			100*meetings[v.name], 100*ejected(results, far))
		if v.name == "skip" && meetings[v.name] < 2*ejected(results, far) {
			t.Error("skip: no more meetings next to the edge than elsewhere")
		}
	}
	for _, name := range []string{"wait", "phases"} {
		if meetings[name] > meetings["skip"]/4 {
			t.Errorf("%s: %.4f of the packets meet others next to the edge, with skip "+
				"%.4f", name, meetings[name], meetings["skip"])
		}
	}
	if elapsed["skip"] < 1.03*elapsed["wait"] { // phases add the latency of six waits
		t.Errorf("skip takes %.1f us, wait %.1f", elapsed["skip"], elapsed["wait"])
	}
	ghost := openScenario(t, "minighost")
	tiled := mapScenario(t, ghost, "tiling").Hosts(ghost.Problem.Allocation)
	for _, v := range boundaryVariants(t, [3]int{32, 24, 36}, 24576) {
		results, err := evalsim.Repeat(context.Background(), ghost.Problem.Machine,
			[]evalsim.Job{{Program: v.program, Hosts: tiled}}, ghost.Options, 2, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "| minighost, %s | %.1f | | |\n", v.name,
			float64(evalsim.Summarize(results).ElapsedNS)/1000)
	}
	t.Log(table.String())
}
