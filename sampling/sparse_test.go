package sampling_test

import (
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
			Packets: number(-9, 9), PacketsVariance: number(0, 99), Congested: number(-5, 5),
			CongestedVariance: number(0, 99), Covariance: number(-9, 9)}
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
				sum.PacketsEstimate(link) != whole.PacketsEstimate(link) ||
				sum.CongestedEstimate(link) != whole.CongestedEstimate(link) {
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
