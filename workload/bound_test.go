package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// seconds is the bound at a byte a second, where it is a whole number.
func seconds(p *Program) int64 { return int64(InjectionBound(p, 1, 1) / time.Second) }

// drawProgram is a random program in which everything is answered at once:
// receives wait for nobody. Sizes are small, times whole seconds.
func drawProgram(t *rapid.T, kinds ...OpKind) *Program {
	ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
	b := NewBuilder(ranks, 0)
	for range ranks {
		requests := int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "operations") {
			op := Op{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				Peer: int32(rapid.IntRange(0, ranks-1).Draw(t, "peer"))}
			op.Bytes = rapid.Int64Range(0, 20).Draw(t, "bytes")
			if op.Kind == Wait {
				if requests == 0 {
					continue
				}
				op.Bytes = rapid.Int64Range(0, requests-1).Draw(t, "request")
			}
			if op.Kind == Compute {
				op.Bytes *= int64(time.Second)
			}
			if op.Kind.IsRequest() {
				requests++
			}
			b.add(op, payload{})
		}
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lastByte plays a rank and its rails byte by byte. Every rail sends one in a
// second, from messages drawn at random among its own, of which each has one
// rail drawn at random. It says when the last byte has left.
func lastByte(r int32, ops []Op, rails int, random *rand.Rand) (last int64) {
	type message struct{ left int64 }
	queues, waiting := make([][]*message, rails), 0 // not yet gone
	var requests []*message                         // nil for those that are done at once
	now, computed := int64(0), int64(0)
	var hand *message // the blocking send in hand
	for i := 0; i < len(ops) || waiting > 0; {
		for ; i < len(ops) && now >= computed && hand == nil; i++ {
			op := ops[i]
			var m *message
			if op.Kind.IsSend() && op.Peer != r {
				m = &message{left: op.Bytes}
				last = max(last, now)
				if op.Bytes > 0 {
					k := random.IntN(rails)
					queues[k] = append(queues[k], m)
					waiting++
				}
			}
			if op.Kind.IsRequest() {
				requests = append(requests, m)
			}
			switch op.Kind {
			case Send:
				hand = m
			case Idle:
				computed = now + op.Bytes
			case Compute:
				computed = now + op.Bytes/int64(time.Second)
			case Wait:
				hand = requests[op.Bytes]
			}
			if op.Kind == WaitAll && waiting > 0 {
				break
			}
			if hand != nil && hand.left == 0 {
				hand = nil
			}
		}
		for q, messages := range queues {
			if len(messages) == 0 {
				continue
			}
			k := random.IntN(len(messages))
			last = now + 1
			if messages[k].left--; messages[k].left == 0 {
				queues[q] = slices.Delete(messages, k, k+1)
				waiting--
			}
		}
		if hand != nil && hand.left == 0 {
			hand = nil
		}
		now++
	}
	return last
}

// TestInjectionBoundHolds: no order in which rails serve the messages posted is
// faster than the bound; without overlap the bound is the very time.
func TestInjectionBoundHolds(t *testing.T) {
	all := []OpKind{Send, Idle, Isend, Isend, Receive, Ireceive, Wait, Wait, WaitAll, Compute}
	for name, kinds := range map[string][]OpKind{"overlapping": all,
		"one by one": {Send, Idle, Receive, Compute}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawProgram(t, kinds...)
				random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				var slowest int64
				rails := rapid.IntRange(1, 3).Draw(t, "rails")
				for r := range int32(p.Ranks()) {
					slowest = max(slowest, lastByte(r, p.RankOps(r), rails, random))
				}
				bound := int64(InjectionBound(p, 1, float64(rails)) / time.Second)
				if bound > slowest || len(kinds) < len(all) && bound != slowest {
					t.Fatalf("%+v leave after %d s, the bound is %d", p.Ops, slowest, bound)
				}
			})
		})
	}
}

// rewrite puts what f appends in the place of every operation.
func rewrite(p *Program, f func(b *Builder, op Op)) *Program {
	b := NewBuilder(p.Ranks(), len(p.Ops))
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			f(b, op)
		}
		b.EndRank()
	}
	q, err := b.Program()
	if err != nil {
		panic(err)
	}
	return q
}

// TestInjectionBoundRules: what must and what must not change the bound.
func TestInjectionBoundRules(t *testing.T) {
	every := []OpKind{Send, Idle, Isend, Receive, Ireceive, Wait, WaitAll, Compute}
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, every...)
		bound := seconds(p)
		check := func(rule string, holds bool) {
			if !holds {
				t.Fatalf("%s does not hold for %+v", rule, p.Ops)
			}
		}
		scaledBy3 := rewrite(p, func(b *Builder, op Op) {
			if op.Kind != Wait {
				op.Bytes *= 3
			}
			b.add(op, payload{})
		})
		check("three times as much takes three times as long", seconds(scaledBy3) == 3*bound)
		idle := rewrite(p, func(b *Builder, op Op) {
			if op.Kind == Compute {
				op.Kind, op.Bytes = Idle, op.Bytes/int64(time.Second)
			}
			b.add(op, payload{})
		})
		check("computing is idling", seconds(idle) == bound)
		eager := rewrite(p, func(b *Builder, op Op) {
			if op.Kind != WaitAll && op.Kind != Wait {
				b.add(op, payload{})
			}
		})
		check("waiting makes nothing faster", seconds(eager) <= bound)
		patient := rewrite(p, func(b *Builder, op Op) {
			b.add(op, payload{})
			b.WaitAll()
		})
		check("waiting at once makes nothing faster", seconds(patient) >= bound)
		check("rails overlap messages, and not one", InjectionBound(p, 1, 2) <= InjectionBound(p, 1, 1) &&
			InjectionBound(p, 1, 1) <= 2*InjectionBound(p, 1, 2))
		check("a faster link is not slower", InjectionBound(p, 2, 2) <= time.Duration(bound)*time.Second)

		blocking := drawProgram(t, Send, Idle, Compute)
		split := rewrite(blocking, func(b *Builder, op Op) {
			if op.Kind == Send {
				b.Wait(b.Isend(op.Peer, op.Bytes, 0))
			} else {
				b.add(op, payload{})
			}
		})
		received := rewrite(blocking, func(b *Builder, op Op) {
			b.Ireceive(AnySource, 0, AnyTag)
			b.add(op, payload{})
			b.WaitAll()
			b.Receive(AnySource, 0, AnyTag)
		})
		bound = seconds(blocking)
		check("a send is a send that is waited for", seconds(split) == bound)
		check("receives cost nothing", seconds(received) == bound)
	})
}

// TestOverlap: computing hides behind a non-blocking send, not behind a blocking one.
func TestOverlap(t *testing.T) {
	const second = int64(time.Second)
	for _, test := range []struct {
		name string
		want int64
		fill func(b *Builder)
	}{
		{"blocking", 240, func(b *Builder) { b.Send(1, 100, 0); b.Compute(40 * second); b.Send(1, 100, 0) }},
		{"hidden", 200, func(b *Builder) { b.Isend(1, 100, 0); b.Compute(40 * second); b.Send(1, 100, 0) }},
		{"too long to hide", 270, func(b *Builder) {
			b.Isend(1, 100, 0)
			b.Compute(170 * second)
			b.Isend(1,
				100, 0)
		}},
		{"waited for", 240, func(b *Builder) {
			r := b.Isend(1, 100,
				0)
			b.Wait(r)
			b.Compute(40 * second)
			b.Isend(1, 100, 0)
		}},
		{"computing at the end", 100, func(b *Builder) { b.Isend(1, 100, 0); b.Compute(1000 * second) }},
		{"one of two waited for", 200, func(b *Builder) {
			r := b.Isend(1, 50, 0)
			b.Isend(1, 100, 0)
			b.Wait(r)
			b.Compute(40 * second)
			b.Isend(1, 50, 0)
		}},
		{"both waited for", 240, func(b *Builder) {
			b.Isend(1, 50, 0)
			b.Isend(1, 100, 0)
			b.WaitAll()
			b.Compute(40 * second)
			b.Isend(1, 50, 0)
		}},
		{"waited for, and long computing", 270, func(b *Builder) {
			r := b.Isend(1, 50, 0)
			b.Isend(1, 100, 0)
			b.Wait(r)
			b.Compute(170 * second)
			b.Isend(1, 50, 0)
		}},
		{"waited for twice", 210, func(b *Builder) {
			old := b.Isend(1, 10, 0)
			b.WaitAll()
			r := b.Isend(1, 50, 0)
			b.Isend(1, 100, 0)
			b.Wait(old)
			b.Wait(r)
			b.Compute(40 * second)
			b.Isend(1, 50, 0)
		}},
		{"to itself", 40, func(b *Builder) { b.Send(0, 100, 0); b.Compute(40 * second); b.Isend(1, 0, 0) }},
	} {
		b := NewBuilder(2, 0)
		test.fill(b)
		b.EndRank()
		b.EndRank()
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		if got := seconds(p); got != test.want {
			t.Errorf("%s: %d s, want %d", test.name, got, test.want)
		}
	}
}

// TestRailsOverlap: two messages leave by two rails at once, one does not, and
// blocking ones follow each other.
func TestRailsOverlap(t *testing.T) {
	for _, test := range []struct {
		name string
		want int64
		fill func(b *Builder)
	}{
		{"two at once", 100, func(b *Builder) { b.Isend(1, 100, 0); b.Isend(1, 100, 0) }},
		{"three at once", 150, func(b *Builder) { b.Isend(1, 100, 0); b.Isend(1, 100, 0); b.Isend(1, 100, 0) }},
		{"one after the other", 200, func(b *Builder) { b.Send(1, 100, 0); b.Send(1, 100, 0) }},
		{"one of two is long", 180, func(b *Builder) { b.Isend(1, 180, 0); b.Isend(1, 20, 0) }},
		{"waited for", 110, func(b *Builder) { b.Isend(1, 100, 0); b.WaitAll(); b.Send(1, 10, 0) }},
		{"behind one in hand", 110, func(b *Builder) { b.Isend(1, 100, 0); b.Send(1, 10, 0); b.Isend(1, 100, 0) }},
	} {
		b := NewBuilder(2, 0)
		test.fill(b)
		b.EndRank()
		b.EndRank()
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		if got := int64(InjectionBound(p, 1, 2) / time.Second); got != test.want {
			t.Errorf("%s: %d s, want %d", test.name, got, test.want)
		}
	}
}

// TestBoundsOfHugePrograms: times that no duration holds are the longest one.
func TestBoundsOfHugePrograms(t *testing.T) {
	b := NewBuilder(2, 0)
	b.Send(1, maxTotal, 0)
	b.EndRank()
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []time.Duration{InjectionBound(p, 1e-3, 1e-3), EjectionBound(p, 1e-3),
		InjectionTime(maxTotal, 1e-3)} {
		if got != math.MaxInt64 {
			t.Errorf("%v, want the longest duration", got)
		}
	}
}

// TestScaleKeepsPrograms: volumes, expected sizes and computing shrink by one
// factor, requests stay what they are, and the program still ends.
func TestScaleKeepsPrograms(t *testing.T) {
	for _, spec := range []string{"stencil2d:4x5,wait=true,sends=nonblocking,compute-ns=100000",
		"allreduce:9,algorithm=ring,bytes=1000000,reduction-rate=1000000000"} {
		p := mustParse(t, spec)
		q, warning := Scale(p, 4096, p.Packets(4096)/4)
		if f := q.VolumeScale; warning != "" || f > 0.3 || f < 0.2 {
			t.Fatalf("%s: scale %g, warning %q", spec, f, warning)
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		for i, op := range p.Ops {
			want := op
			if op.Kind != Wait {
				want.Bytes = scaled(op.Bytes, q.VolumeScale)
			}
			if q.Ops[i] != want {
				t.Fatalf("%s: %+v became %+v, want %+v", spec, op, q.Ops[i], want)
			}
		}
		mustEnd(t, spec, traced{q, make([]payload, len(q.Ops))}, 1, nil)
	}
}
