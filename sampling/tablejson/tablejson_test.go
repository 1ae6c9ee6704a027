package tablejson_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"remap/sampling"
	_ "remap/sampling/bloom"
	"remap/sampling/tablejson"
)

// equal compares two tables.
func equal(t testing.TB, what string, a, b *sampling.Sparse) {
	t.Helper()
	if a.Variant != b.Variant || a.Received != b.Received || !slices.Equal(a.Links, b.Links) ||
		!slices.Equal(a.Entries, b.Entries) {
		t.Fatalf("%s: %+v and %+v", what, a, b)
	}
}

// sampled is what a receiver concludes from 200 packets on two of 17 links each.
func sampled(t *testing.T, variant string) *sampling.Sparse {
	t.Helper()
	v, err := sampling.ParseVariant(variant)
	if err != nil {
		t.Fatal(err)
	}
	const links = 17
	random := sampling.NewRandom(1)
	device := sampling.NewSwitch(v, links, &random)
	all := []sampling.Range{{First: 0, Count: links}}
	receiver := sampling.NewReceiver(v, links, func(_, _ int32) []sampling.Range { return all }, 1)
	table := sampling.NewTable(v, links)
	var p sampling.Packet
	for range 200 {
		p.Reset(v)
		p.ID = random.Uint32()
		first := int32(random.Uint32() % (links - 1))
		device.Cross(&p.Header, p.ID, first, first%3 == 0)
		device.Cross(&p.Header, p.ID, first+1, first%2 == 0)
		receiver.Receive(table, &p)
	}
	receiver.Flush()
	s := table.Sparse()
	if len(s.Links) < 10 {
		t.Fatalf("%s: only %d links have counts", variant, len(s.Links))
	}
	return s
}

// A table comes back as it was; what breaks a rule of tables is not read.
func TestSparseJSON(t *testing.T) {
	for _, name := range []string{"full", "n=3", "one-bit", "one-reservoir," +
		"hash=whole", "bloom:32", "one-bit,counter=3"} {
		s := sampled(t, name)
		text, err := json.Marshal(tablejson.Sparse{Sparse: s})
		if err != nil {
			t.Fatal(err)
		}
		var back tablejson.Sparse
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		equal(t, name, s, back.Sparse)
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
		var s tablejson.Sparse
		if json.Unmarshal([]byte(text), &s) == nil || s.Sparse != nil {
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
		var s, back tablejson.Sparse
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
		equal(t, "read again", s.Sparse, back.Sparse)
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
