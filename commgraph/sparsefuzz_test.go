package commgraph

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzReadMatrixMarket(f *testing.F) {
	for _, s := range []string{"coordinate integer general\n3 3 2\n1 3 7\n2 " +
		"1 5\n", "coordinate real symmetric\n% c\n2 2 2\n1 1 3.\n\n2 1 1e3\n",
		"array real skew-symmetric\n3 3\n5\n0\n-8\n", "array integer general\n2 2\n1 " +
			"2 3 4", "coordinate pattern symmetric\n2 2 1\n2 1\n",
		"coordinate complex hermitian\n2 2 1\n2 1 0 0\n", "coordinate integer general\n1073741824 1073741824 " +
			"1\n1 1 5\n", "array real general\n1073741824 1073741824\n0\n"} {
		f.Add(mm+s, false)
		f.Add(mm+s, true)
	}
	f.Add("%%MatrixMarket", false)
	f.Fuzz(func(t *testing.T, text string, structure bool) {
		read := ReadMatrixMarket
		if structure {
			read = ReadMatrixMarketPattern
		}
		traffic, err := read("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		mustCheck(t, traffic)
		mustCheck(t, traffic.Graph())
		var file bytes.Buffer
		if err := WriteMatrixMarket(&file, traffic); err != nil {
			t.Fatal(err)
		}
		again, err := Read("f", &file, "")
		if err != nil && traffic.Ranks() <= 1<<20 {
			t.Fatal(err)
		}
		if err == nil {
			same(t, "again", again, traffic)
		}
	})
}

func FuzzReadScotch(f *testing.F) {
	for _, s := range []string{"0\n3 4\n0 000\n2 1 2\n1 " +
		"0\n1 0\n", "0\n3 4\n1 010\n2 9 3 4 2\n1 4 1\n1 9 1\n", "0\n3 4\n0 111\n30 5 1 7 10\n10 7 2 9 30 4 " +
		"20\n20 0 1 4 10\n",
		"0 2 2 0 0 1 1 1 0", "0\n1073741824 2147483647\n1073741824 111\n1 1 " +
			"2147483647 5 7", "0\n2 2\n0 010\n1 0 1\n1 0 0\n", "0\n0 0\n0 0\n", "0\n2 2\n0 100\n5 1 6\n5 1 6\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { readAgain(t, text, ReadScotch, WriteScotch) })
}

func FuzzReadParComm(f *testing.F) {
	for _, s := range []string{"0 1 9.526e+06 0\n0 2 " +
		"1.048e+07 0\n", "# c\n1\t0 5\r\n0 1 5 3\n1 0 2 1", "0 1048576 5\n", "0 1073741823 5\n", "0 0 0 0\n",
		"0 1 5 1\n0 1 5 2\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		traffic, hops, err := ReadParComm("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		mustCheck(t, traffic)
		if hops != nil && len(hops) != len(traffic.Bytes) {
			t.Fatalf("%d hops for %d entries", len(hops), len(traffic.Bytes))
		}
	})
}

func FuzzReadRoutes(f *testing.F) {
	for _, s := range []string{"Hop 1: [12-0] 12 (0 1 1 0 0 0) -> 8 (0 1 0 0 0 0)\nHop 2: [12-0] 8 (0 1 0 0 " +
		"0 0) -> 0 (0 0 0 0 0 0)\n",
		"Hop 1:[1-0]1(7)->0(3)\r\n\n", "Hop 1: [65536-0] 65536 (1) -> 0 " +
			"(2)\n", "Hop 1: [1-0] 1 (1) -> 0 (1 2)\n", "Hop 1: [1-0] 1 (1) -> 1 " +
			"(2)\n", "Hop 1: [1-0] 1 () -> 1 ()\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, hops, err := ReadRoutes("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		extents := c.Extents()
		if len(c.Values) != c.Ranks()*c.Dimensions || len(extents) != c.Dimensions || len(hops) == 0 {
			t.Fatalf("%d values of %d ranks, %d extents, %d hops", len(c.Values), c.Ranks(), len(extents), len(hops))
		}
		for _, h := range hops {
			for _, r := range []int32{h.From, h.To} {
				place := c.Of(r)
				if len(place) != c.Dimensions {
					t.Fatalf("rank %d of %+v at %v", r, h, place)
				}
				for k, x := range place {
					if x < 0 || int(x) >= extents[k] {
						t.Fatalf("rank %d at %v outside %v", r, place, extents)
					}
				}
			}
		}
	})
}

// TestRoutes: places of ranks on both ends of hops, and what may be wrong.
func TestRoutes(t *testing.T) {
	const text = "Hop 1: [3-0] 3 (0 1 1) -> 2 (0 1 0)\n\r\n Hop 2 :[ 3 - 0 ] 2(0 1 0)->0( 0 0 0 ) \n"
	c, hops, err := ReadRoutes("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "coordinates", c, &Coordinates{Dimensions: 3,
		Values: []int32{0, 0, 0, -1, -1, -1, 0, 1, 0, 0, 1, 1}})
	same(t, "hops", hops, []Hop{{3, 0, 1, 3, 2}, {3, 0, 2, 2, 0}})
	same(t, "extents", c.Extents(), []int{1, 2, 2})
	if c.Ranks() != 4 || c.Of(1) != nil || len(c.Of(2)) != 3 {
		t.Errorf("%d ranks, rank 1 at %v, rank 2 at %v", c.Ranks(), c.Of(1), c.Of(2))
	}
	const good = "Hop 1: [1-0] 1 (4 5) -> 0 (4 6)\n"
	for _, test := range []struct {
		text         string
		line, column int
		reason       string
	}{
		{"", 0, 0, "empty"},
		{"\n \n", 0, 0, "empty"},
		{"0 1 5 0\n", 1, 1, "no Hop here"},
		{good + "Hop x: [1-0] 1 (4 5) -> 0 (4 6)\n", 2, 5, "number of the hop must be"},
		{good + "Hop 1; [1-0] 1 (4 5) -> 0 (4 6)\n", 2, 6, "no : here"},
		{good + "Hop 1: [1 0] 1 (4 5) -> 0 (4 6)\n", 2, 11, "no - here"},
		{good + "Hop 1: [1-0] 1 (4 5) -> 0\n", 2, 26, "no ( here"},
		{good + "Hop 1: [1-0] 1 (4 5) -> 0 (4 6\n", 2, 31, "no ) here"},
		{good + "Hop 1: [1-0] 1 (4 -5) -> 0 (4 6)\n", 2, 19, "coordinate must be"},
		{good + "Hop 1: [1-0] 1 (4 5) -> 0 (4 6) x\n", 2, 33, `"x" after the hop`},
		{good + "Hop 1: [1-0] 1 (4 5) -> 0 (4)\n", 2, 28, "1 coordinates, must be 2"},
		{"Hop 1: [1-0] 1 () -> 0 ()\n", 1, 17, "0 coordinates, must be 1"},
		{good + "Hop 1: [1-0] 1 (4 6) -> 0 (4 6)\n", 2, 17, "rank 1 is at [4 6] here, at [4 5] before"},
		{"Hop 1: [1-0] 1 (1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17) -> 0 (4 6)\n", 1, 58, "more than 16"},
		{good + "Hop 1: [1073741823-0] 1 (4 5) -> 0 (4 6)\n", 2, 0, "1073741824 ranks for 2 pairs"},
		{good + "Hop 1: [1073741824-0] 1 (4 5) -> 0 (4 6)\n", 2, 9, "source must be"},
	} {
		_, _, err := ReadRoutes("f", strings.NewReader(test.text))
		if err == nil {
			t.Errorf("%q: no error", test.text)
			continue
		}
		checkError(t, err)
		checkPlace(t, test.text, err, test.line, test.column, test.reason)
	}
}
