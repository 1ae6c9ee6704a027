package sampling_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"remap/sampling"
)

// sparseLinks is the number of links of drawn tables.
const sparseLinks = 40

// drawSparse is a table of a whole-number variant.
func drawSparse(t *rapid.T, v sampling.Variant) *sampling.Sparse {
	table := sampling.NewTable(v, sparseLinks)
	number := func(low, high int) float64 { return float64(rapid.IntRange(low, high).Draw(t, "count")) }
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		table.Links[rapid.IntRange(0, sparseLinks-1).Draw(t, "link")] = sampling.Entry{
			Packets: number(-9, 9), PacketsVariance: number(0, 99), Congested: number(-5, 5), CongestedVariance: number(0, 99), Covariance: number(-9, 9)}
	}
	table.Received.Packets = int64(number(0, 99))
	table.Received.Hops = int64(number(0, 99))
	table.Received.CongestedSquared = int64(number(0, 99))
	return table.Sparse()
}

func merge(t rapid.TB, tables ...*sampling.Sparse) *sampling.Sparse {
	t.Helper()
	sum, err := sampling.MergeSparse(tables...)
	if err != nil {
		t.Fatal(err)
	}
	if err := sum.Check(); err != nil {
		t.Fatal(err)
	}
	return sum
}

func equal(t rapid.TB, what string, a, b *sampling.Sparse) {
	t.Helper()
	if a.Variant != b.Variant || a.Received != b.Received || len(a.Links) != len(b.Links) {
		t.Fatalf("%s: %+v and %+v", what, a, b)
	}
	for i := range a.Links {
		if a.Links[i] != b.Links[i] || a.Entries[i] != b.Entries[i] {
			t.Fatalf("%s: link %d %+v and link %d %+v", what, a.Links[i], a.Entries[i], b.Links[i], b.Entries[i])
		}
	}
}

// Order and grouping do not matter, and sparse sums are those of full tables.
func TestMergeSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := sampling.Variant{Kind: sampling.OneBit, Slots: 1, Counter: 8, Hash: sampling.Field}
		tables := make([]*sampling.Sparse, rapid.IntRange(1, 7).Draw(t, "tables"))
		whole, left := sampling.NewTable(v, sparseLinks), &sampling.Sparse{Variant: v}
		for i := range tables {
			tables[i] = drawSparse(t, v)
			full, err := tables[i].Table(sparseLinks)
			if err != nil {
				t.Fatal(err)
			}
			whole.Merge(full)
			left = merge(t, left, tables[i])
		}
		sum := merge(t, tables...)
		equal(t, "one after the other", left, sum)
		equal(t, "full tables", whole.Sparse(), sum)
		equal(t, "another order", merge(t, rapid.Permutation(tables).Draw(t, "order")...), sum)
		for link := range int32(sparseLinks) {
			if sum.Entry(link) != whole.Links[link] || sum.Fraction(link) != whole.Fraction(link) ||
				sum.PacketsEstimate(link) != whole.PacketsEstimate(link) || sum.CongestedEstimate(link) != whole.CongestedEstimate(link) {
				t.Fatalf("link %d: %+v and %+v", link, sum.Entry(link), whole.Links[link])
			}
		}
	})
}

func TestSparseRefuses(t *testing.T) {
	one := sampling.NewTable(sampling.Reservoirs, 9)
	one.Links[8].Packets = 5
	if _, err := one.Sparse().Table(8); err == nil {
		t.Error("link 8 fits into 8 links")
	}
	if _, err := sampling.MergeSparse(one.Sparse(), &sampling.Sparse{}); err == nil {
		t.Error("tables of two variants are added")
	}
}

func TestSparseJSON(t *testing.T) {
	for _, name := range []string{"full", "n=3", "one-bit", "one-reservoir,hash=whole", "bloom:32", "one-bit,counter=3"} {
		s := fixedTraffic(200).run(parse(t, name), 1).Sparse()
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back sampling.Sparse
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		equal(t, name, s, &back)
	}
	for what, text := range map[string]string{
		"unknown variant": `{"variant":"two"}`,
		"descending":      `{"variant":"full","links":[2,1],"entries":[[1,0,0,0,0],[1,0,0,0,0]]}`,
		"twice":           `{"variant":"full","links":[1,1],"entries":[[1,0,0,0,0],[1,0,0,0,0]]}`,
		"negative link":   `{"variant":"full","links":[-1],"entries":[[1,0,0,0,0]]}`,
		"lengths":         `{"variant":"full","links":[1],"entries":[]}`,
		"zero":            `{"variant":"full","links":[1],"entries":[[0,0,0,0,0]]}`,
		"infinite":        `{"variant":"full","links":[1],"entries":[[1e999,0,0,0,0]]}`,
		"huge":            `{"variant":"full","links":[1],"entries":[[1e19,0,0,0,0]]}`,
		"received":        `{"variant":"full","received":{"packets":-1}}`,
	} {
		var s sampling.Sparse
		if json.Unmarshal([]byte(text), &s) == nil || !reflect.DeepEqual(s, sampling.Sparse{}) {
			t.Errorf("%s: %s is read", what, text)
		}
	}
}

// FuzzSparseJSON: what is read is valid, finite, and comes back.
func FuzzSparseJSON(f *testing.F) {
	f.Add(`{"variant":"full","received":{"packets":3,"hops":15,"hops_squared":75},"links":[4,9],"entries":[[10,40,0,0,0],[5,20,0,0,0]]}`)
	f.Add(`{"variant":"one-bit,hash=crc","links":[],"entries":[]}`)
	f.Add(`{"variant":"bloom:32","links":[2147483647],"entries":[[1e18,1e18,-1,1,1]]}`)
	f.Add(`{"variant":"off","links":[1],"entries":[[-1]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s, back sampling.Sparse
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatal(err)
		}
		equal(t, "read again", &s, &back)
		for _, link := range s.Links {
			if e := s.Fraction(link); !(0 <= e.Low && e.Low <= e.High && e.High <= 1) {
				t.Fatalf("link %d: fraction %+v", link, e)
			}
			if e := s.PacketsEstimate(link); math.IsNaN(e.Low) || e.Low < 0 || e.High < e.Low {
				t.Fatalf("link %d: packets %+v", link, e)
			}
		}
	})
}
