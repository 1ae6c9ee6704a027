package evalsim_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// rails is a fabric of two leaf switches and one spine on which every host has
// two adapters, one on each leaf.
func rails(t rapid.TB, hosts int) *topology.Topology {
	t.Helper()
	var b strings.Builder
	for leaf := range 2 {
		fmt.Fprintf(&b, "Switch 40 \"leaf%d\" # \"leaf%d\"\n", leaf, leaf)
		for h := range hosts {
			fmt.Fprintf(&b, "[%d] \"card%d-%d\"[1] # \"n%d mlx5_%d\" lid 1 4xEDR\n", h+1, h, leaf, h, leaf)
		}
		fmt.Fprintf(&b, "[40] \"spine\"[%d] # \"spine\" lid 1 4xEDR\n\n", leaf+1)
	}
	b.WriteString("Switch 2 \"spine\" # \"spine\"\n[1] \"leaf0\"[40] # \"leaf0\" lid 1 4xEDR\n[2] " +
		"\"leaf1\"[40] # \"leaf1\" lid 1 4xEDR\n")
	for leaf := range 2 {
		for h := range hosts {
			fmt.Fprintf(&b, "\nCa 1 \"card%d-%d\" # \"n%d mlx5_%d\"\n[1] \"leaf%d\"[%d] # lid 1 \"leaf%d\" lid 1 "+
				"4xEDR\n", h, leaf, h, leaf, leaf, h+1, leaf)
		}
	}
	top, err := topology.ReadIBNetDiscover("rails", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// Messages of a host with two rails use both, and stay on their leaf switch:
// two ranks a host send at once at twice the rate of one link.
func TestRailsShareMessages(t *testing.T) {
	top := rails(t, 6)
	if first, end := top.Out(0); end-first != 2 {
		t.Fatalf("host 0 has %d rails", end-first)
	}
	var sends [][3]int
	for message := range 8 {
		sends = append(sends, [3]int{0, 2 + message%2, 1 << 20}, [3]int{1, 3 - message%2, 1 << 20})
	}
	hosts := []int32{0, 0, 1, 1}
	r, err := evalsim.Run(context.Background(), top,
		[]evalsim.Job{{Program: program(4, sends...), Hosts: hosts}}, evalsim.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	first, end := top.Out(0)
	for l := first; l < end; l++ {
		if r.Links[l].Bytes != 8<<20 {
			t.Errorf("rail %d sends %d bytes, want half of 16 MiB", l-first, r.Links[l].Bytes)
		}
	}
	if r.PacketHops != 2*r.Packets {
		t.Errorf("%d packets cross %d links: some leave their leaf switch", r.Packets, r.PacketHops)
	}
	if bound := float64(8<<20) / lineRate; r.Makespan < bound || r.Makespan > 1.05*bound {
		t.Errorf("%g ns, both rails full time would be %g", r.Makespan, bound)
	}
}

// Jobs that share no link take the time they take alone; jobs that share one
// host's ejection link take at least the sum of their bytes.
func TestJobsTogether(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=8,leaves-per-pod=2,pods=1,aggs-per-pod=8,cores=0")
	p := program(2, [3]int{0, 1, 1 << 19})
	alone := run(t, top, p, evalsim.DefaultOptions())
	both := func(a, b []int32) *evalsim.Result {
		r, err := evalsim.Run(context.Background(), top,
			[]evalsim.Job{{Program: p, Hosts: a}, {Program: p, Hosts: b}}, evalsim.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := both([]int32{0, 1}, []int32{2, 3}); r.Elapsed[0] != alone.Makespan ||
		r.Elapsed[1] != alone.Makespan {
		t.Errorf("apart: %v ns, alone %g", r.Elapsed, alone.Makespan)
	}
	r := both([]int32{0, 1}, []int32{2, 1})
	if bound := float64(1<<20) / lineRate; r.Makespan < bound || r.Makespan > bound*1.02+1000 {
		t.Errorf("to one host: %g ns, bound %g", r.Makespan, bound)
	}
	var sampled int64
	for job := range 2 {
		for i := range r.Samples[job].Links {
			sampled += int64(r.Samples[job].Links[i].Packets)
		}
	}
	// One hop a packet: every sample weighs exactly 1.
	if sampled != r.Packets {
		t.Errorf("the jobs' receivers sampled %d hops of %d packets", sampled, r.Packets)
	}
}

// Small buffers and small packets keep the rate that buffer over round trip
// allows: flows over one up-link fill it unless the buffer is below two packets.
func TestSmallBuffersKeepTheRate(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=8,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	for _, bytes := range []int{64, 1024, 3000, 4096} {
		for _, buffer := range []int{8192, 10240, 16384} {
			p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
			for r := range int32(16) {
				for range 400 * (8 - r) / 8 * boolean(r < 8) {
					p.Ops = append(p.Ops, workload.Op{Peer: r + 8, Bytes: int64(bytes)})
				}
				p.Offsets = append(p.Offsets, int32(len(p.Ops)))
			}
			o := evalsim.DefaultOptions()
			o.BufferBytes = buffer
			r := run(t, top, p, o)
			bound := float64(r.Packets*int64(bytes)) / lineRate
			// 500 ns there and back at 12.5 B/ns want 6250 bytes of buffer beyond the packet in hand.
			if r.Makespan > 1.25*bound+3000 {
				t.Errorf("%d-byte packets, %d-byte buffers: %.2f of the up-link's time", bytes, buffer, r.Makespan/bound)
			}
		}
	}
}

func boolean(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// No makespan is below the floor that the program alone gives, whatever the
// pattern and its extents.
func TestNoTimeBelowFloor(t *testing.T) {
	patterns := []string{"stencil2d:64x1", "stencil2d:1x9", "stencil2d:8x8", "stencil3d7:16x1x1",
		"stencil3d27:2x2x4,edges=skip",
		"stencil3d7:4x4x4,edges=wait", "ring:7,rounds=3", "uniform:20," +
			"rounds=2", "alltoall:12,bytes=9000", "fft2d:planes=2,grid=3x4", "stencil2d:1x1"}
	rapid.Check(t, func(t *rapid.T) {
		p, err := workload.ParsePattern(rapid.SampledFrom(patterns).Draw(t, "pattern"))
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(rapid.SampledFrom([]string{"torus:8x8", "fattree:nodes-per-leaf=8," +
			"leaves-per-pod=8,pods=1,aggs-per-pod=8,cores=0"}).Draw(t, "spec"))
		if err != nil {
			t.Fatal(err)
		}
		o := evalsim.DefaultOptions()
		o.Switching = evalsim.Switching(rapid.IntRange(0, 1).Draw(t, "switching"))
		r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
		if err != nil {
			t.Fatal(err)
		}
		floor := max(workload.InjectionBound(p, 12.5e9, 12.5e9), workload.EjectionBound(p, 12.5e9))
		if r.Makespan < float64(floor.Nanoseconds())-1 {
			t.Fatalf("%g ns, floor %v", r.Makespan, floor)
		}
	})
}

// Repeats differ in the order of equal times, also under routings and on
// networks that make no random choice; the makespan may be one host's all the
// same, so congestion is what tells them apart.
func TestRepeatsDifferWithoutRandomRouting(t *testing.T) {
	p, err := workload.ParsePattern("uniform:256,rounds=3,bytes=40000")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec    string
		routing evalsim.Routing
	}{{"torus:8x8x4", evalsim.Adaptive}, {"tapered", evalsim.FlowHash}, {"tapered", evalsim.Static}} {
		o := evalsim.DefaultOptions()
		o.Routing = c.routing
		results, err := evalsim.Repeat(context.Background(), network(t, c.spec),
			[]evalsim.Job{{Program: p, Hosts: identity(256)}}, o, 4, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for _, r := range results[1:] {
			if r.Congested == results[0].Congested {
				same++
			}
		}
		if same == 3 {
			t.Errorf("%s %v: four repeats all meet %d congested ports", c.spec, c.routing, results[0].Congested)
		}
	}
}

// What queued packets could overflow is refused before the run.
func TestHugeBuffersRefused(t *testing.T) {
	o := evalsim.DefaultOptions()
	o.BufferBytes = 1 << 28
	_, err := evalsim.New(network(t, "tapered"), nil, o)
	if err == nil || !strings.Contains(err.Error(), "buffer bytes") {
		t.Errorf("256 MiB a link: %v", err)
	}
}

// A placement gives what laying the job out anew on those hosts gives, and
// leaves the simulation it came from alone.
func TestPlaceEqualsNew(t *testing.T) {
	top := network(t, "torus:5x5")
	p, err := workload.ParsePattern("uniform:20,rounds=4,bytes=30000")
	if err != nil {
		t.Fatal(err)
	}
	reversed := make([]int32, 20)
	for r := range reversed {
		reversed[r] = int32(24 - r)
	}
	run := func(s *evalsim.Simulation) *evalsim.Result {
		r, err := s.Run(context.Background(), 9)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	lay := func(hosts []int32) *evalsim.Simulation {
		s, err := evalsim.New(top, []evalsim.Job{{Program: p, Hosts: hosts}}, evalsim.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := lay(identity(20))
	before := run(first)
	placed, err := first.Place(reversed)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(run(placed), run(lay(reversed))) {
		t.Error("a placement differs from a new simulation")
	}
	if !reflect.DeepEqual(run(first), before) {
		t.Error("placing changed the simulation it came from")
	}
	for _, wrong := range [][][]int32{{}, {identity(19)}, {append(identity(19), 25)},
		{identity(20), identity(20)}} {
		if _, err := first.Place(wrong...); err == nil {
			t.Errorf("hosts %v are accepted", wrong)
		}
	}
}
