package evalsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/sampling"
	_ "remap/sampling/bloom" // the hash of variants bloom:BITS
	"remap/topology"
)

// anyVariant draws one of every kind, with short counters and every sort of hash.
func anyVariant(t *rapid.T) sampling.Variant {
	text := rapid.SampledFrom([]string{"full", "n=2", "n=3", "one-bit", "one-reservoir", "one-reservoir," +
		"hash=whole", "one-bit,hash=crc", "one-reservoir," +
		"hash=hmult", "bloom:9", "bloom:64", "bloom:100"}).Draw(t, "variant")
	text += fmt.Sprintf(",counter=%d", rapid.SampledFrom([]int{2, 3, 8, 8}).Draw(t, "counter"))
	v, err := sampling.ParseVariant(text)
	if err != nil {
		t.Fatal(err)
	}
	v.Unpruned = (v.Hashed() || v.Kind == sampling.Bloom) && rapid.IntRange(0, 3).Draw(t, "unpruned") == 0
	return v
}

// Whatever the machine, the programs and the options, tables are what a receiver
// of their own makes of the deliveries, by part and by job; and a simulation that
// has done something else, or was cancelled, repeats itself byte by byte.
func TestAnyVariantIsItsDeliveries(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		top := anyMachine(t)
		o := anyOptions(t, top)
		o.Sampling = anyVariant(t)
		dimensions(&o, rapid.IntRange(0, 7).Draw(t, "dimensions"))
		o.SliceLength = rapid.SampledFrom([]time.Duration{0, 300, 3000}).Draw(t, "slice")
		o.Congestion.At = rapid.SampledFrom([]evalsim.CongestionPoint{evalsim.AtArrival,
			evalsim.AtDeparture}).Draw(t, "at")
		var jobs []evalsim.Job
		for range rapid.IntRange(1, 2).Draw(t, "jobs") {
			p, _ := matched(t, o.EagerBytes)
			jobs = append(jobs, evalsim.Job{Program: p, Hosts: anyHosts(t, p.Ranks(), top.Hosts())})
		}
		s, err := evalsim.New(top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		var deliveries []evalsim.Delivery
		results, err := s.RepeatDelivered(context.Background(), 0, 1, 1, nil,
			func(_ int, some []evalsim.Delivery) error {
				deliveries = append(deliveries, some...)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		for i := range deliveries {
			d := &deliveries[i]
			hosts, in, out := jobs[d.Job].Hosts, top.Links[d.In], top.Links[d.Out]
			if in.From != hosts[d.Source] || out.To != hosts[d.Destination] {
				t.Fatalf("%+v from %d to %d", d, in.From, out.To)
			}
		}
		decodeAgain(t, top, &o, results[0], deliveries)
		if again, err := s.Run(context.Background(), o.Seed); err != nil ||
			!bytes.Equal(inBytes(t, again), inBytes(t, results[0])) || !reflect.DeepEqual(again, results[0]) {
			t.Fatalf("the same run once more differs (%v)", err)
		}
	})
}

func inBytes(t *rapid.T, r *evalsim.Result) []byte {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// part names a part of a result.
type part struct {
	slice, job int
	mark
}

// decodeAgain fills tables from deliveries and compares.
func decodeAgain(t *rapid.T, top *topology.Topology, o *evalsim.Options, r *evalsim.Result,
	deliveries []evalsim.Delivery) {
	v := o.Sampling
	paths := topology.NewPathLinks(top, o.Routing == evalsim.Valiant || o.Routing == evalsim.UGAL)
	between := paths.Between
	if v.Unpruned {
		between = func(_, _ int32) []sampling.Range { return paths.All() }
	}
	receiver := sampling.NewReceiver(v, len(top.Links), between, 1)
	if v.Counter < 8 {
		receiver.Correct(paths.Place)
	}
	whole := make([]*sampling.Table, len(r.Samples))
	for i := range whole {
		whole[i] = sampling.NewTable(v, len(top.Links))
	}
	parts := map[part]*sampling.Table{}
	for i := range r.Parts {
		p := &r.Parts[i]
		parts[part{p.Slice, p.Job, mark{p.Phase, p.Tag, p.CallSite}}] = sampling.NewTable(v, len(top.Links))
	}
	last := len(r.Slices) - 1
	for i := range deliveries {
		d := &deliveries[i]
		p := d.Packet()
		if set := paths.Between(d.In, d.Out); d.HopLink >= 0 && !has(set, d.HopLink) || d.CongestedLink >= 0 &&
			!has(set, d.CongestedLink) {
			t.Fatalf("%+v by links that it cannot cross", d)
		}
		receiver.Receive(whole[d.Job], &p)
		if r.Parts == nil {
			continue
		}
		m := mark{int(d.Phase), int(d.Tag), int(d.CallSite)}.under(dimensionsOf(o))
		slice := 0
		if o.SliceLength > 0 {
			slice = min(last, int(d.Arrival/(o.SliceLength.Nanoseconds()*1000)))
		}
		table := parts[part{slice, int(d.Job), m}]
		if table == nil {
			t.Fatalf("no part %+v of slice %d for %+v", m, slice, d)
		}
		receiver.Receive(table, &p)
	}
	receiver.Flush()
	for i := range whole {
		alike(t, fmt.Sprintf("job %d", i), r.Samples[i], whole[i])
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		alike(t, fmt.Sprintf("part %d", i), p.Samples,
			parts[part{p.Slice, p.Job, mark{p.Phase, p.Tag, p.CallSite}}])
	}
	total(t, v, r)
}

func dimensionsOf(o *evalsim.Options) (d int) {
	for i, by := range []bool{o.ByPhase, o.ByTag, o.ByCallSite} {
		if by {
			d |= 1 << i
		}
	}
	return d
}

// alike holds two tables against each other up to rounding.
func alike(t *rapid.T, what string, got, want *sampling.Table) {
	if got.Variant != want.Variant || got.Received != want.Received {
		t.Fatalf("%s: received %+v, want %+v", what, got.Received, want.Received)
	}
	for i := range want.Links {
		g, w := got.Links[i], want.Links[i]
		for _, pair := range [][2]float64{{g.Packets, w.Packets}, {g.PacketsVariance, w.PacketsVariance},
			{g.Congested, w.Congested},
			{g.CongestedVariance, w.CongestedVariance}, {g.Covariance, w.Covariance}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*(1+math.Abs(pair[1])) {
				t.Fatalf("%s, link %d: %+v, want %+v", what, i, g, w)
			}
		}
	}
}

// total: reservoirs of whole links whose counters hold the path share out all
// hops, whatever they have sampled.
func total(t *rapid.T, v sampling.Variant, r *evalsim.Result) {
	if v.Counter < 8 || v.Hashed() || v.Kind == sampling.Bloom {
		return
	}
	hops, congested := 0., 0.
	for _, table := range r.Samples {
		for i := range table.Links {
			hops += table.Links[i].Packets
			congested += table.Links[i].Congested
		}
	}
	if math.Abs(hops-float64(r.PortHops)) > 1e-6 || v.Kind == sampling.Full &&
		math.Abs(congested-float64(r.Congested)) > 1e-6 {
		t.Fatalf("%g hops, %g congested, of %d and %d", hops, congested, r.PortHops, r.Congested)
	}
}
