package topology

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkNetworks are those that jobs run on, the last two of many switches.
var benchmarkNetworks = []string{"tapered", "full", "torus:24x24x24", "dragonfly:groups=33,routers=16," +
	"hosts=8,global=8", "hyperx:16x16x16,hosts=4"}

// pairs draws injection and ejection links.
func pairs(n *Topology, count int) [][2]int32 {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	ins, outs := doors(n)
	drawn := make([][2]int32, count)
	for i := range drawn {
		drawn[i] = [2]int32{ins[random.IntN(len(ins))], outs[random.IntN(len(outs))]}
	}
	return drawn
}

// BenchmarkPathLinks measures hits among 4096 pairs of hosts, and misses, and
// the memory of a pair of switches.
func BenchmarkPathLinks(b *testing.B) {
	for _, spec := range benchmarkNetworks {
		n, err := Parse(spec)
		if err != nil {
			b.Fatal(err)
		}
		for _, nonMinimal := range []bool{false, true} {
			if nonMinimal && n.Routes.Intermediate == nil {
				continue
			}
			name := fmt.Sprintf("topology=%s/non-minimal=%v/", spec, nonMinimal)
			drawn := pairs(n, 4096)
			if nonMinimal {
				drawn = drawn[:64]
			}
			p := NewPathLinks(n, nonMinimal)
			links, ranges := 0, 0
			for _, d := range drawn {
				for _, r := range p.Between(d[0], d[1]) {
					links, ranges = links+int(r.Count), ranges+1
				}
			}
			at := func(i int) (in, out int32) { d := drawn[i%len(drawn)]; return d[0], d[1] }
			b.Run(name+"Between", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					p.Between(at(i))
				}
			})
			b.Run(name+"Append", func(b *testing.B) {
				var buffer []LinkRange
				for i := 0; b.Loop(); i++ {
					in, out := at(i)
					buffer = p.Append(buffer[:0], in, out)
				}
			})
			b.Run(name+"Place", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					in, out := at(i)
					p.Place(in, out, p.Between(in, out)[0].First)
				}
			})
			b.Run(name+"miss", func(b *testing.B) {
				b.ReportAllocs()
				fresh := NewPathLinks(n, nonMinimal)
				for i := 0; b.Loop(); i++ {
					if i%len(drawn) == 0 {
						fresh.ways, fresh.whole = newSetCache(maxPathBytes), newSetCache(maxPathBytes)
					}
					fresh.Between(at(i))
				}
				b.ReportMetric(float64(links)/float64(len(drawn)), "links/pair")
				b.ReportMetric(float64(ranges)/float64(len(drawn)), "ranges/pair")
				b.ReportMetric(float64(8*ranges)/float64(len(drawn))+48, "B/pair")
			})
		}
	}
}
