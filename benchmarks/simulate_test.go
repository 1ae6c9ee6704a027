package benchmarks

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// userSeconds is the processor time this process has used in user mode.
func userSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Sec) + float64(usage.Utime.Usec)/1e6
}

// BenchmarkSimulate plays the 64x72 stencil of 128 KiB messages on the
// 4608-node tapered fat tree, adaptive routing, sampling on, and reports
// packet-hops a user second (links crossed, injection and ejection included).
func BenchmarkSimulate(b *testing.B) {
	machine, err := topology.Parse("tapered")
	if err != nil {
		b.Fatal(err)
	}
	program, err := workload.ParsePattern("stencil2d:64x72")
	if err != nil {
		b.Fatal(err)
	}
	rowMajor := make([]int32, 4608)
	for r := range rowMajor {
		rowMajor[r] = int32(r)
	}
	random := make([]int32, 4608)
	for r, h := range rand.New(rand.NewPCG(1, 1)).Perm(4608) {
		random[r] = int32(h)
	}
	for _, c := range []struct {
		name  string
		hosts []int32
	}{{"row-major", rowMajor}, {"random", random}} {
		b.Run("size=4608/topology=tapered/mapping="+c.name, func(b *testing.B) {
			s, err := evalsim.New(machine, []evalsim.Job{{Program: program, Hosts: c.hosts}}, evalsim.DefaultOptions())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Run(context.Background(), 1); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var hops int64
			begin := userSeconds(b)
			for b.Loop() {
				r, err := s.Run(context.Background(), 1)
				if err != nil {
					b.Fatal(err)
				}
				hops += r.PacketHops
			}
			b.ReportMetric(float64(hops)/(userSeconds(b)-begin), "packet-hops/user-s")
		})
	}
}
