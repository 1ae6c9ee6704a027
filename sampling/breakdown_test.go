package sampling_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/sampling"
)

// Parts are what receivers apart would have counted, and with the others they
// make the whole, by any dimensions.
func TestBreakdown(t *testing.T) {
	some := fixedTraffic(300)
	for _, name := range []string{"full", "one-bit", "one-reservoir,hash=whole", "n=2", "bloom:32"} {
		v := parse(t, name)
		packets := some.packets(v, 5)
		rapid.Check(t, func(t *rapid.T) { breakdown(t, v, some, packets) })
	}
}

func breakdown(t *rapid.T, v sampling.Variant, some *traffic, packets []sampling.Packet) {
	by := sampling.Dimensions(rapid.IntRange(0, 15).Draw(t, "by"))
	coarse := by & sampling.Dimensions(rapid.IntRange(0, 15).Draw(t, "coarse"))
	most := rapid.IntRange(0, 90).Draw(t, "most")
	seed := rapid.Uint64().Draw(t, "keys")
	b := sampling.NewBreakdown(v, some.links, some.paths(), 2, by, most)
	receiver := sampling.NewReceiver(v, some.links, some.paths(), 2)
	keys, kept, apart := map[sampling.Key]bool{}, 0, map[sampling.Key]*sampling.Table{}
	whole, others := sampling.NewTable(v, some.links), sampling.NewTable(v, some.links)
	random := sampling.NewRandom(seed)
	for i := range packets {
		k := sampling.Key{Slice: int64(random.Below(3)) - 1, Phase: int32(random.Below(3)),
			Tag: -int32(random.Below(3)), CallSite: int32(random.Below(3))}
		b.Receive(k, &packets[i])
		receiver.Receive(whole, &packets[i])
		if fine := limitKey(by, k); !keys[fine] && kept < most {
			keys[fine] = true
			kept++
		}
		if !keys[limitKey(by, k)] {
			receiver.Receive(others, &packets[i])
			continue
		}
		k = limitKey(coarse, k)
		if apart[k] == nil {
			apart[k] = sampling.NewTable(v, some.links)
		}
		receiver.Receive(apart[k], &packets[i])
	}
	receiver.Flush()
	parts, err := b.Parts(coarse)
	if err != nil || len(parts) != len(apart) {
		t.Fatalf("%d parts, want %d: %v", len(parts), len(apart), err)
	}
	if !slices.IsSortedFunc(parts, func(x, y sampling.Part) int { return compareKeys(x.Key, y.Key) }) {
		t.Fatalf("parts are not in order")
	}
	sum := b.Others()
	alike(t, sum, others.Sparse())
	for _, part := range parts {
		if apart[part.Key] == nil {
			t.Fatalf("part %+v", part.Key)
		}
		alike(t, part.Samples, apart[part.Key].Sparse())
		sum = merge(t, sum, part.Samples)
	}
	alike(t, sum, whole.Sparse())
}

// limitKey leaves some dimensions of a key.
func limitKey(by sampling.Dimensions, k sampling.Key) sampling.Key {
	var out sampling.Key
	if by&sampling.BySlice != 0 {
		out.Slice = k.Slice
	}
	if by&sampling.ByPhase != 0 {
		out.Phase = k.Phase
	}
	if by&sampling.ByTag != 0 {
		out.Tag = k.Tag
	}
	if by&sampling.ByCallSite != 0 {
		out.CallSite = k.CallSite
	}
	return out
}

func compareKeys(a, b sampling.Key) int {
	return slices.Compare([]int64{a.Slice, int64(a.Phase), int64(a.Tag), int64(a.CallSite)},
		[]int64{b.Slice, int64(b.Phase), int64(b.Tag), int64(b.CallSite)})
}

// alike is equal up to the rounding of sums in another order.
func alike(t rapid.TB, a, b *sampling.Sparse) {
	t.Helper()
	if a.Received != b.Received || !slices.Equal(a.Links, b.Links) {
		t.Fatalf("%+v and %+v", a, b)
	}
	for i, x := range a.Entries {
		y := b.Entries[i]
		if math.Abs(x.Packets-y.Packets)+math.Abs(x.PacketsVariance-y.PacketsVariance)+
			math.Abs(x.Congested-y.Congested)+
			math.Abs(x.CongestedVariance-y.CongestedVariance)+
			math.Abs(x.Covariance-y.Covariance) > 1e-9*(1+y.PacketsVariance) {
			t.Fatalf("link %d: %+v and %+v", a.Links[i], x, y)
		}
	}
}

// More packets than wait at a time, whose buffers are used again.
func TestBreakdownBatches(t *testing.T) {
	some := fixedTraffic(30000)
	for _, name := range []string{"one-bit", "n=3"} {
		v := parse(t, name)
		b := sampling.NewBreakdown(v, some.links, some.paths(), 4, sampling.ByTag, 5)
		receiver, whole := sampling.NewReceiver(v, some.links, some.paths(), 4), sampling.NewTable(v, some.links)
		packets := some.packets(v, 8)
		for i := range packets {
			b.Receive(sampling.Key{Tag: int32(i % 7)}, &packets[i])
			receiver.Receive(whole, &packets[i])
		}
		receiver.Flush()
		parts, err := b.Parts(0)
		if err != nil || len(parts) != 1 {
			t.Fatalf("%d parts: %v", len(parts), err)
		}
		alike(t, merge(t, parts[0].Samples, b.Others()), whole.Sparse())
		if n := b.Others().Received.Packets; n != 2*(30000/7) {
			t.Errorf("%d packets of 7 tags are beyond 5 tags", n)
		}
		if _, err := b.Parts(sampling.ByPhase); err == nil {
			t.Error("parts by a dimension that was not counted")
		}
	}
}
