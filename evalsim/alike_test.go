package evalsim_test

import (
	"context"
	"math"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// Two links look alike to 64 packets in a row of a flow, the block that a receiver
// decodes at once, if their hashes agree for all of them or for none. No two links
// may do so for good: in one block of 64 on average, and in few for any two.
func TestLinksLookAlikeInFewBlocks(t *testing.T) {
	const blocks, links, step = 1000, 300, 13 // links 0, 13, 26, ...
	identities := flowIdentities(t, 64*blocks)
	hasher := sampling.NewHasher(sampling.Field, links*step)
	alike := make([]int, links*links)
	for block := range blocks {
		var seen [links]uint64
		for link := range seen {
			for i, id := range identities[64*block:][:64] {
				seen[link] |= uint64(hasher.Bit(id, int32(link*step))) << i
			}
			if seen[link]&1 == 1 {
				seen[link] = ^seen[link]
			}
		}
		for a := range links {
			for b := range a {
				if seen[a] == seen[b] {
					alike[a*links+b]++
				}
			}
		}
	}
	most, sum := 0, 0
	for _, n := range alike {
		most, sum = max(most, n), sum+n
	}
	mean := float64(sum) / (blocks * links * (links - 1) / 2)
	t.Logf("two links look alike in %.4f of blocks on average, and in %.3f at most", mean, float64(most)/blocks)
	if math.Abs(mean*64-1) > 0.1 {
		t.Errorf("two links look alike in %g of blocks on average, want 1/64", mean)
	}
	if limit := blocks/64. + 6*math.Sqrt(blocks/64.); float64(most) > limit {
		t.Errorf("two links look alike in %d of %d blocks, want at most %.0f", most, blocks, limit)
	}
}

// flowIdentities are the identities of packets that one rank sends another, in
// order.
func flowIdentities(t *testing.T, packets int64) (identities []uint32) {
	t.Helper()
	b := workload.NewBuilder(2, 0)
	b.Isend(1, 16*packets, 0)
	b.WaitAll()
	b.EndRank()
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	o.PacketBytes, o.BufferBytes, o.Sampling = 16, 64, variant(t, "one-bit")
	s, err := evalsim.New(network(t, "mesh:2"), []evalsim.Job{{Program: p, Hosts: []int32{0, 1}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.RepeatDelivered(context.Background(), 0, 1, 1, nil, func(_ int, some []evalsim.Delivery) error {
		for i := range some {
			identities = append(identities, some[i].Packet().ID)
		}
		return nil
	})
	if err != nil || int64(len(identities)) != packets {
		t.Fatalf("%d packets of %d (%v)", len(identities), packets, err)
	}
	return identities
}

func variant(t *testing.T, text string) sampling.Variant {
	t.Helper()
	v, err := sampling.ParseVariant(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Sums of counts over links of which a packet crosses one at most, such as those of a
// cut, have the sum of the links' variances. Flows here are long and keep to one path,
// so that links which look alike would do so for many packets.
func TestSumsScatterAsIntervalsSay(t *testing.T) {
	tier.Long(t, "a sweep of simulations: two seconds")
	const side, runs = 8, 300
	top := network(t, "mesh:8x8")
	p, err := workload.ParsePattern("stencil2d:8x8,bytes=524288")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	o.Sampling = variant(t, "one-reservoir")
	jobs := []evalsim.Job{{Program: p, Hosts: identity(side * side)}}
	results, err := evalsim.Repeat(context.Background(), top, jobs, o, runs, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	cuts := make([]squaredErrors, 4*side)
	links := make([]squaredErrors, len(top.Links))
	for _, r := range results {
		var sums [4 * side]sampling.Entry
		var exact [4 * side]float64
		for i := range top.Links {
			if top.IsHost(top.Links[i].From) {
				continue
			}
			e, n := r.Samples[0].Links[i], float64(r.Links[i].Packets)
			links[i].add(e.Packets-n, e.PacketsVariance)
			links[i].cover(r.Samples[0].PacketsEstimate(int32(i)), n)
			if cut := cutOf(top, i, side); cut >= 0 {
				sums[cut].Packets += e.Packets
				sums[cut].PacketsVariance += e.PacketsVariance
				exact[cut] += n
			}
		}
		for cut := range cuts {
			cuts[cut].add(sums[cut].Packets-exact[cut], sums[cut].PacketsVariance)
		}
	}
	judgeSquares(t, "sums over cuts", cuts, 4*(side-1))
	judgeSquares(t, "links", links, side*side+4*side*(side-1))
	covered, least := 0., 1.
	for i := range links {
		if l := &links[i]; l.count > 0 {
			covered += l.covered / l.count / float64(side*side+4*side*(side-1))
			least = min(least, l.covered/l.count)
		}
	}
	t.Logf("95 %% intervals of links cover %.4f, at least %.3f", covered, least)
	if covered < 0.93 || covered > 0.97 || least < 0.88 {
		t.Errorf("95 %% intervals of links cover %g, at least %g", covered, least)
	}
}

// cutOf numbers the cuts between columns and between rows of a square mesh, in both
// directions, by the coordinate that a link leaves; -1 for a link to a host.
func cutOf(top *topology.Topology, link int, side int32) int {
	l := top.Links[link]
	if top.IsHost(l.To) {
		return -1
	}
	from, to := top.SwitchOf(l.From), top.SwitchOf(l.To)
	switch to - from {
	case 1:
		return int(from % side)
	case -1:
		return int(side + from%side)
	case side:
		return int(2*side + from/side)
	}
	return int(3*side + from/side)
}

// squaredErrors are sums over runs of squared errors over the variance that the
// samples imply, and how often intervals covered.
type squaredErrors struct{ count, squares, covered float64 }

func (s *squaredErrors) add(off, variance float64) {
	if variance > 0 {
		s.count++
		s.squares += off * off / variance
	}
}

func (s *squaredErrors) cover(e sampling.Estimate, truth float64) {
	if e.Low <= truth && truth <= e.High {
		s.covered++
	}
}

// judgeSquares holds standardized variances to 1: their mean, and each within what
// chance does in so many runs.
func judgeSquares(t *testing.T, what string, all []squaredErrors, want int) {
	t.Helper()
	mean, most, some := 0., 0., 0
	for i := range all {
		if s := &all[i]; s.count > 0 {
			mean += s.squares / s.count
			most = max(most, s.squares/s.count)
			some++
		}
	}
	mean /= float64(some)
	t.Logf("%s: standardized variance of %d: %.3f on average, %.2f at most", what, some, mean, most)
	if some != want {
		t.Fatalf("%s: %d are judged, want %d", what, some, want)
	}
	if math.Abs(mean-1) > 0.1 || most > 2 {
		t.Errorf("%s: standardized variance %g on average, %g at most, want 1", what, mean, most)
	}
}
