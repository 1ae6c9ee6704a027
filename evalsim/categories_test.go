package evalsim_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/workload"
)

// dimensions sets by which of phase (1), tag (2) and call site (4) samples are kept apart.
func dimensions(o *evalsim.Options, d int) {
	o.ByPhase, o.ByTag, o.ByCallSite = d&1 > 0, d&2 > 0, d&4 > 0
}

// mark is the part of a slice that a message belongs to, under some dimensions.
type mark struct{ phase, tag, callSite int }

func (f mark) under(d int) mark {
	return mark{f.phase * (d & 1), f.tag * (d >> 1 & 1), f.callSite * (d >> 2 & 1)}
}

// Two phases, two tags, two call sites: every message is in the part of its own.
func TestCategoriesOfKnownCounts(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	b := workload.NewBuilder(2, 0)
	packets := map[mark]int64{}
	for i, m := range []mark{{0, 7, 0}, {0, 9, 1}, {1, 7, 1}, {1, 9, 2}, {1, 7, 1}, {0, 9, 1}, {1, 7, 2}} {
		b.Phase([]string{"", "solve"}[m.phase])
		b.CallSite([]string{"", "solver.c:11", "solver.c:12"}[m.callSite])
		b.Send(1, int64(4096<<i), uint16(m.tag))
		packets[m] += 1 << i
	}
	b.EndRank()
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	for d := range 8 {
		o := evalsim.DefaultOptions()
		dimensions(&o, d)
		want := map[mark]int64{}
		for m, n := range packets {
			want[m.under(d)] += n
		}
		jobs := []evalsim.Job{{Program: p, Hosts: identity(2)}}
		if n, err := evalsim.CountCategories(jobs, o); err != nil || n != len(want) {
			t.Errorf("dimensions %d: %d categories, %v, want %d", d, n, err, len(want))
		}
		got := map[mark]int64{}
		last := mark{-1, -1, -1}
		for _, part := range runJobs(t, top, jobs, o).Parts {
			m := mark{part.Phase, part.Tag, part.CallSite}
			got[m] = part.Packets
			sampled := part.Samples.Links[top.Ejection(1)[0]].Packets // the one port that all cross
			near(t, fmt.Sprintf("packets of %+v", m), sampled, float64(part.Packets), 0)
			if slices.Compare([]int{last.phase, last.tag, last.callSite}, []int{m.phase, m.tag, m.callSite}) >= 0 {
				t.Errorf("%+v comes after %+v", m, last)
			}
			last = m
		}
		if d == 0 {
			want = map[mark]int64{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("dimensions %d: %v, want %v", d, got, want)
		}
	}
}

// A long message's request and answer are of its part.
func TestCategoriesOfControlMessages(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	p := ops([]workload.Op{tagged(send(1, 1<<20), 3), tagged(send(1, 4096), 4)},
		[]workload.Op{tagged(receive(0), 3), tagged(receive(0), 4)})
	o := options(func(o *evalsim.Options) { o.EagerBytes, o.ByTag = 8192, true })
	r := run(t, top, p, o)
	if len(r.Parts) != 2 || r.Parts[0].Tag != 3 || r.Parts[1].Tag != 4 {
		t.Fatalf("%+v", r.Parts)
	}
	for i, want := range [][2]float64{{256 + 1, 1}, {1, 0}} { // to the receiver, and back
		to, from := r.Parts[i].Samples.Links[top.Ejection(1)[0]], r.Parts[i].Samples.Links[top.Ejection(0)[0]]
		if got := [2]float64{to.Packets, from.Packets}; got != want ||
			r.Parts[i].Packets != int64(want[0]+want[1]) {
			t.Errorf("tag %d: %v, %d packets, want %v", r.Parts[i].Tag, got, r.Parts[i].Packets, want)
		}
	}
}

// marked gives the operations of a program phases, tags and call sites at random.
func marked(t *rapid.T, p *workload.Program) *workload.Program {
	q := *p
	q.Ops, q.Sites = slices.Clone(p.Ops), make([]uint16, len(p.Ops))
	q.Phases, q.CallSites = make([]string, 3), make([]string, 4)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "marks"), 1))
	for i := range q.Ops {
		q.Ops[i].Phase, q.Ops[i].Tag, q.Sites[i] = uint8(random.IntN(3)), uint16(random.IntN(4)*16383),
			uint16(random.IntN(4))
	}
	return &q
}

// Parts of many dimensions, merged over those that are dropped, are the parts of
// fewer ones; there is one for every kind of send, with its packets.
func TestCategoriesMerge(t *testing.T) {
	top, jobs := twoJobs(t)
	rapid.Check(t, func(t *rapid.T) {
		some := slices.Clone(jobs)
		some[0].Program = marked(t, jobs[0].Program)
		o := evalsim.DefaultOptions()
		fine, coarse := rapid.IntRange(0, 7).Draw(t, "fine"), rapid.IntRange(0, 7).Draw(t, "coarse")
		coarse &= fine
		dimensions(&o, fine)
		o.SliceLength, o.MaxSlices = 70_000, 3
		most := runJobs(t, top, some, o)
		checkSends(t, some, most, fine)
		dimensions(&o, coarse)
		want := runJobs(t, top, some, o)
		type key struct {
			slice, job int
			mark
		}
		merged := map[key]*evalsim.Part{}
		for _, p := range most.Parts {
			m := mark{p.Phase, p.Tag, p.CallSite}.under(coarse)
			k := key{p.Slice, p.Job, m}
			if merged[k] == nil {
				merged[k] = &evalsim.Part{Slice: p.Slice, Job: p.Job, Phase: m.phase, Tag: m.tag,
					CallSite: m.callSite, Samples: sampling.NewTable(p.Samples.Variant, len(top.Links))}
			}
			to := merged[k]
			to.Packets += p.Packets
			to.PortHops += p.PortHops
			to.Congested += p.Congested
			to.Samples.Merge(p.Samples)
		}
		for i := range want.Parts {
			p := &want.Parts[i]
			if got := merged[key{p.Slice, p.Job, mark{p.Phase, p.Tag, p.CallSite}}]; !reflect.DeepEqual(got, p) {
				t.Fatalf("merged %+v, at once %+v", got, p)
			}
		}
		if len(merged) != len(want.Parts) {
			t.Fatalf("%d parts merged, %d at once", len(merged), len(want.Parts))
		}
	})
}

// checkSends holds the packets of parts, over all slices, against the programs.
func checkSends(t *rapid.T, jobs []evalsim.Job, r *evalsim.Result, d int) {
	for i, j := range jobs {
		want, got := map[mark]int64{}, map[mark]int64{}
		for k, op := range j.Program.Ops {
			if op.Kind.IsSend() {
				want[mark{int(op.Phase), int(op.Tag), int(j.Program.Site(int32(k)))}.under(d)] += max(1,
					(op.Bytes+4095)/4096)
			}
		}
		for _, p := range r.Parts {
			if p.Job == i {
				got[mark{p.Phase, p.Tag, p.CallSite}] += p.Packets
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("job %d: parts have packets %v, want %v", i, got, want)
		}
	}
}

// Other numbers for tags change nothing but the numbers.
func TestRelabelledTags(t *testing.T) {
	top := network(t, "torus:4x3")
	p, err := workload.ParsePattern("stencil2d:4x3,wait=true,rounds=2,bytes=50000")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfNDistinct(rapid.Uint16Range(0, workload.AnyTag-1), 4, 4, rapid.ID[uint16]).Draw(t,
			"tags")
		q := *p
		q.Ops = slices.Clone(p.Ops)
		for i := range q.Ops {
			if k := q.Ops[i].Kind; k.IsSend() || k.IsReceive() {
				q.Ops[i].Tag = tags[p.Ops[i].Tag]
			}
		}
		o := evalsim.DefaultOptions()
		o.ByTag, o.ByCallSite, o.EagerBytes = true, rapid.Bool().Draw(t, "by call site"), 8192
		want := runJobs(t, top, []evalsim.Job{{Program: p, Hosts: identity(12)}}, o)
		got := runJobs(t, top, []evalsim.Job{{Program: &q, Hosts: identity(12)}}, o)
		for i := range want.Parts {
			want.Parts[i].Tag = int(tags[want.Parts[i].Tag])
		}
		slices.SortStableFunc(want.Parts, func(a, b evalsim.Part) int { return a.Tag - b.Tag })
		if !reflect.DeepEqual(got, want) {
			t.Fatal("relabelled tags give other results")
		}
	})
}

// More categories than can be are told before anything is laid out.
func TestMostCategories(t *testing.T) {
	tier.Long(t, "the most tags: a second")
	const count = 1<<20 + 1
	p := &workload.Program{Offsets: []int32{0, count}, Ops: make([]workload.Op, count),
		Phases: make([]string, 17), VolumeScale: 1}
	for i := range p.Ops {
		p.Ops[i].Tag, p.Ops[i].Phase = uint16(i%workload.AnyTag), uint8(i/workload.AnyTag)
	}
	o := evalsim.DefaultOptions()
	o.ByTag, o.ByPhase = true, true
	_, err := evalsim.CountCategories([]evalsim.Job{{Program: p}}, o)
	if want := "job 0: samples by phase, tag are in more than 1048576 " +
		"categories"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	o.ByPhase = false
	if n, err := evalsim.CountCategories([]evalsim.Job{{Program: p}}, o); err != nil || n != workload.AnyTag {
		t.Errorf("%d tags, %v", n, err)
	}
}

// What deliveries say of phase, tag and call site makes the parts.
func TestDeliveriesMakeTheParts(t *testing.T) {
	_, jobs, results, deliveries := measured(t, sampling.Reservoirs, 2)
	for repeat, r := range results {
		got, want := make([]map[mark]int64, len(jobs)), make([]map[mark]int64, len(jobs))
		for j := range jobs {
			got[j], want[j] = map[mark]int64{}, map[mark]int64{}
		}
		for _, d := range deliveries[repeat] {
			got[d.Job][mark{int(d.Phase), int(d.Tag), int(d.CallSite)}]++
		}
		for _, p := range r.Parts {
			want[p.Job][mark{p.Phase, p.Tag, p.CallSite}] += p.Packets
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("repeat %d: deliveries %v, parts %v", repeat, got, want)
		}
	}
}
