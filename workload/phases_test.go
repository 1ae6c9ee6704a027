package workload

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

func mustPhases(t rapid.TB, p *Program, most int) []*commgraph.Traffic {
	t.Helper()
	phases, err := p.PhaseTraffic(most)
	if err != nil {
		t.Fatal(err)
	}
	return phases
}

// checkSum tests that phases add up to the traffic, entry by entry.
func checkSum(t rapid.TB, p *Program, phases []*commgraph.Traffic) {
	t.Helper()
	want, err := p.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	var flows []commgraph.Flow
	for _, phase := range phases {
		if err := phase.Check(); err != nil || phase.Ranks() != p.Ranks() {
			t.Fatalf("a phase of %d ranks: %v", phase.Ranks(), err)
		}
		for r := range int32(phase.Ranks()) {
			first, end := phase.Row(r)
			for e := first; e < end; e++ {
				flows = append(flows, commgraph.Flow{From: r, To: phase.Destinations[e], Bytes: phase.Bytes[e],
					Messages: phase.Messages[e]})
			}
		}
	}
	sum, err := commgraph.NewTraffic(p.Ranks(), flows, true)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sum, want) {
		t.Fatalf("%d phases add up to\n%+v, the traffic is\n%+v", len(phases), sum, want)
	}
}

// drawAnyProgram draws any program that passes Check, most of which wait for ever.
func drawAnyProgram(t *rapid.T) *Program {
	ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
	peer := rapid.Int32Range(0, int32(ranks-1))
	b := NewBuilder(ranks, 0)
	for range ranks {
		requests := int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "operations") {
			to, bytes, tag := peer.Draw(t, "peer"), rapid.Int64Range(0, 1000).Draw(t, "bytes"),
				rapid.Uint16Range(0, 1).Draw(t, "tag")
			source, wanted := to, tag
			if rapid.IntRange(0, 3).Draw(t, "any source") == 0 {
				source = AnySource
			}
			if rapid.IntRange(0, 3).Draw(t, "any tag") == 0 {
				wanted = AnyTag
			}
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0, 1:
				b.Send(to, bytes, tag)
			case 2:
				b.Isend(to, bytes, tag)
				requests++
			case 3:
				b.Receive(source, 0, wanted)
			case 4:
				b.Ireceive(source, 0, wanted)
				requests++
			case 5:
				if requests > 0 {
					b.Wait(rapid.Int64Range(0, requests-1).Draw(t, "request"))
				}
			case 6:
				b.WaitAll()
			}
		}
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever a program does, its phases add up to its traffic, and there are no
// more than asked for; a second time brings the same.
func TestPhasesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawAnyProgram(t)
		most := rapid.IntRange(1, 5).Draw(t, "most")
		phases := mustPhases(t, p, most)
		if len(phases) < 1 || len(phases) > most {
			t.Fatalf("%d phases, at most %d asked for", len(phases), most)
		}
		checkSum(t, p, phases)
		if again := mustPhases(t, p, most); !reflect.DeepEqual(again, phases) {
			t.Fatalf("a second time: %+v", again)
		}
	})
}

// Without waits there is one phase, the traffic.
func TestOnePhaseWithoutWaits(t *testing.T) {
	for _, spec := range []string{"stencil2d:5x4,rounds=3", "alltoall:9", "fft2d:planes=2," +
		"grid=3x4", "uniform:20,rounds=5", "ring:7"} {
		p := mustParse(t, spec)
		want, err := p.Traffic()
		if phases := mustPhases(t, p, 16); err != nil || len(phases) != 1 || !reflect.DeepEqual(phases[0], want) {
			t.Errorf("%s has %d phases", spec, len(phases))
		}
	}
}

// How many phases patterns have that ranks go through in step, and that twice the
// rounds double the bytes of every phase: sums of scalars go the ways of those of
// vectors, rings and stencils repeat one exchange.
func TestPhasesOfPatterns(t *testing.T) {
	for _, c := range []struct {
		spec string
		want int
	}{
		{"nas-cg:64,bytes=1000000", 3 + 1},
		{"nas-cg:256,class=B", 4 + 1},
		{"stencil3d7:4x3x5,wait=true", 1},
		{"stencil3d7:4x3x5,wait=true,edges=skip,sends=nonblocking", 1},
		{"allgather:16,algorithm=ring", 1},
		{"alltoall:16,algorithm=pairwise", 15},
		{"allreduce:16,algorithm=recursive-doubling", 4},
		{"bcast:16,algorithm=binomial", 4},
		{"reduce:16,algorithm=binomial", 4},
	} {
		once := mustPhases(t, mustParse(t, c.spec), 16)
		if len(once) != c.want {
			t.Errorf("%s has %d phases, want %d", c.spec, len(once), c.want)
		}
		p := mustParse(t, c.spec+",rounds=3")
		checkSum(t, p, mustPhases(t, p, 16))
		if c.spec[:5] == "bcast" || c.spec[:7] == "reduce:" {
			continue // the root goes on to the next before others have ended
		}
		thrice := mustPhases(t, p, 16)
		if len(thrice) != len(once) {
			t.Errorf("%s: %d phases in three rounds, %d in one", c.spec, len(thrice), len(once))
			continue
		}
		for i := range once {
			if !reflect.DeepEqual(thrice[i].Destinations, once[i].Destinations) ||
				thrice[i].TotalBytes() != 3*once[i].TotalBytes() {
				t.Errorf("%s: phase %d differs in three rounds", c.spec, i)
			}
		}
	}
}

// Too many phases: of 15 equal steps that have no pair in common, most stay
// balanced, and 64 of ten times the bytes keep a phase each.
func TestPhasesArePutTogether(t *testing.T) {
	p := mustParse(t, "alltoall:16,algorithm=pairwise")
	phases := mustPhases(t, p, 4)
	checkSum(t, p, phases)
	total := int64(0)
	for _, phase := range phases {
		total += phase.TotalBytes()
	}
	for i, phase := range phases {
		if share := float64(phase.TotalBytes()) / float64(total); len(phases) != 4 || share < 0.12 || share > 0.4 {
			t.Errorf("phase %d of %d has %.2f of the bytes", i, len(phases), share)
		}
	}
	b := NewBuilder(8, 0) // steps to the rank k beyond, two of them heavy
	for r := range int32(8) {
		for k := range int32(7) {
			bytes := int64(100)
			if k == 2 || k == 5 {
				bytes = 1000
			}
			request := b.Ireceive((r+7-k)%8, bytes, 0)
			b.Send((r+k+1)%8, bytes, 0)
			b.Wait(request)
		}
		b.EndRank()
	}
	q, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	phases = mustPhases(t, q, 3)
	checkSum(t, q, phases)
	var sizes []int64
	for _, phase := range phases {
		sizes = append(sizes, phase.TotalBytes()/8)
	}
	if fmt.Sprint(sizes) != "[500 1000 1000]" {
		t.Errorf("bytes of a rank by phase: %v", sizes)
	}
}

// A wait that is for nothing, as at a grid's edge, ends a phase all the same; a
// message that was waited for does so where ranks have not sent before; several
// receives in a row are one wait; and waits that never end lose nothing.
func TestRoundsOfWaits(t *testing.T) {
	rounds := func(fill ...func(b *Builder)) (list []int32) {
		b := NewBuilder(len(fill), 0)
		for _, f := range fill {
			f(b)
			b.EndRank()
		}
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := p.Traffic()
		if err != nil {
			t.Fatal(err)
		}
		all, _ := p.roundsOf(traffic, p.sendEntries(traffic))
		for i, op := range p.Ops {
			if op.Kind.IsSend() {
				list = append(list, all[i])
			}
		}
		return list
	}
	nothing := func(*Builder) {}
	for _, c := range []struct {
		what string
		got  []int32
		want string
	}{
		{"waits for nothing", rounds(func(b *Builder) {
			b.WaitAll()
			b.Send(1, 1,
				0)
			b.WaitAll()
			b.WaitAll()
			b.Send(1, 1, 0)
		}, nothing), "[0 1]"},
		{"a chain", rounds(func(b *Builder) { b.Send(1, 1, 0) },
			func(b *Builder) { b.Receive(0, 1, 0); b.Send(2, 1, 0) },
			func(b *Builder) { b.Receive(AnySource, 1, AnyTag); b.Send(0, 1, 0) }), "[0 1 2]"},
		{"receives in a row", rounds(func(b *Builder) {
			b.Send(1, 1, 3)
			b.Receive(1, 1, 0)
			b.Receive(1, 1,
				1)
			b.Send(1, 1, 0)
		},
			func(b *Builder) { b.Send(0, 1, 1); b.Send(0, 1, 0); b.Receive(0, 1, AnyTag); b.Send(0, 1, 0) }),
			"[0 1 0 0 1]"},
		{"for ever", rounds(func(b *Builder) { b.Send(1, 1, 0); b.Receive(1, 1, 7); b.Send(1, 1, 0) },
			func(b *Builder) { b.Send(0, 1, 0) }), "[0 0 0]"},
		{"tags", rounds(func(b *Builder) { b.Send(1, 1, 1); b.WaitAll(); b.Send(1, 1, 2) },
			func(b *Builder) {
				b.Ireceive(0, 1, 2)
				b.Ireceive(0, 1, 1)
				b.Wait(1)
				b.Send(0, 1, 0)
				b.WaitAll()
				b.Send(0, 1, 0)
			}), "[0 1 1 2]"},
	} {
		if fmt.Sprint(c.got) != c.want {
			t.Errorf("%s: rounds %v, want %s", c.what, c.got, c.want)
		}
	}
}

func BenchmarkPhaseTraffic(b *testing.B) {
	for _, spec := range []string{"alltoall:512," +
		"algorithm=pairwise", "stencil3d7:16x16x18,wait=true,rounds=20", "nas-cg:1024,rounds=25"} {
		p, err := ParsePattern(spec)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.PhaseTraffic(16); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(p.Ops))*float64(b.N)/b.Elapsed().Seconds(), "operations/s")
		})
	}
}
