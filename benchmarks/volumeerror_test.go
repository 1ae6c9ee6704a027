package benchmarks

import (
	"fmt"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
)

// TestVolumeError holds times told for the full volume against those that it has, at
// several caps a rank: how far the line through two volumes is off, and how often
// the 95 % interval of six repeats holds the median of three at full volume:
// REMAP_TABLE=1 go test -run VolumeError -v -timeout 1h ./benchmarks, ten minutes on one
// core. Without it two small jobs.
func TestVolumeError(t *testing.T) {
	tier.Long(t, "two jobs at full volume: seven seconds")
	cases := []volumeCase{{"stencil2d:8x8,rounds=60", tree64, 0}, {"nas-cg:64,rounds=30", "torus:4x4x4", 0}}
	caps := []int64{1024, 2048}
	if tier.IsTable() {
		caps = []int64{1024, 2048, 4096, 8192, 16384, 32768}
		cases = []volumeCase{
			{"cg", "torus:4x4x4", 0}, {"amg", tree64, 0}, {"amg", "torus:4x4x4", 0},
			{"stencil2d:8x8,rounds=200", tree64, 0},
			{"stencil3d7:4x4x4,rounds=200,bytes=65536,wait=true", "torus:4x4x4", 0},
			{"stencil3d27:4x4x4,rounds=200,bytes=65536", fly72, 0},
			{"geometric:64,rounds=100,bytes=65536", tree64, 0},
			{"nas-cg:64,rounds=100", "torus:4x4x4", 0},
			{"allreduce:64,bytes=1048576,rounds=20", "torus:4x4x4", 0},
			{"stencil2d:8x8,bytes=16777216", tree64, 0},
			{"alltoall:64,bytes=1048576", tree64, 0},
			{"fft2d:planes=8,grid=4x2,bytes=8388608", tree64, 0},
		}
	}
	held, count := 0, 0
	t.Log("error of the time told in %, and what it is told to be at most, by packets a rank;" +
		" ! = the interval does not hold the full volume's median")
	head := "| job | mapping |"
	for _, perRank := range caps {
		head += fmt.Sprintf(" %d |", perRank)
	}
	t.Log(head + "\n|" + strings.Repeat("---|", 2+len(caps)))
	for _, c := range cases {
		t.Run(strings.NewReplacer("/", "-", "=", "").Replace(c.job), func(t *testing.T) {
			j := c.open(t)
			names, mappings := j.mappings(t, 3)
			for i, m := range mappings {
				full, _ := j.play(t, j.whole, m, 3)
				line := fmt.Sprintf("| %s | %s |", c.job, names[i])
				for _, perRank := range caps {
					p := j.recast(perRank)
					if p.VolumeScale >= 1 {
						break
					}
					told, _ := j.play(t, p, m, 6)
					wrong := float64(told.ElapsedNS)/float64(full.ElapsedNS) - 1
					line += fmt.Sprintf(" %+.2f of %.1f", 100*wrong, 100*told.VolumeError)
					if count++; full.ElapsedNS >= *told.ElapsedNSLow && full.ElapsedNS <= *told.ElapsedNSHigh {
						held++
					} else {
						line += "!"
					}
					line += " |"
				}
				t.Log(line)
			}
		})
	}
	if t.Logf("intervals hold %d of %d", held, count); float64(held) < 0.95*float64(count) {
		t.Errorf("95 %% intervals hold %d of %d medians of the full volume", held, count)
	}
}
