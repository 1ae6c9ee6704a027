package commgraph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func FuzzReadCoordinates(f *testing.F) {
	for _, s := range []string{"rank,x,y\n0,1,2\n2,0,0\n", "# c\n1,-0.5,1e3\r\n\n0, 2 " +
		",.25\n3,,\n", "\"RANK\",x\n0,5\n", "Hop 1: [1-0] 1 (4 5) -> 0 (4 6)\n",
		"rank,x\n0,1e15\n1,-1e15\n", "0,1e-300\n1,0\n", "1073741823,0\n", "rank,x\n0," +
			"1e308\n", "rank\n", "0,1,\n", "\xef\xbb\xbfrank,x\n0,1073741824"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCoordinates("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		if c.Dimensions < 1 || len(c.Values) != c.Ranks()*c.Dimensions {
			t.Fatalf("%d values for %d ranks of %d dimensions", len(c.Values), c.Ranks(), c.Dimensions)
		}
		var file strings.Builder
		for r := range int32(c.Ranks()) {
			place := c.Values[int(r)*c.Dimensions : int(r+1)*c.Dimensions]
			for _, x := range place {
				if x < -1 || x > MaxRanks || (x < 0) != (place[0] < 0) {
					t.Fatalf("rank %d is at %v", r, place)
				}
			}
			if c.Of(r) == nil {
				fmt.Fprintf(&file, "%d%s\n", r, strings.Repeat(",", c.Dimensions))
				continue
			}
			fmt.Fprintf(&file, "%d,%s\n", r, strings.Trim(strings.ReplaceAll(fmt.Sprint(place), " ", ","), "[]"))
		}
		if c.Ranks() == 0 {
			return
		}
		again, err := ReadCoordinatesCSV("f", strings.NewReader(file.String()))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "again", again, c)
	})
}

func TestCoordinatesCSV(t *testing.T) {
	c, err := ReadCoordinates("f", strings.NewReader("# where they are\nRank,x,y\n2,3,4\n0, 7 ,0\n\n3,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "coordinates", c, &Coordinates{Dimensions: 2, Values: []int32{7, 0, -1, -1, 3, 4, -1, -1}})
	c, err = ReadCoordinates("f", strings.NewReader("Hop 1: [1-0] 1 (4 5) -> 0 (4 6)\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "routes", c, &Coordinates{Dimensions: 2, Values: []int32{4, 6, 4, 5}})
	const good = "rank,x,y\n0,1,2\n"
	for _, test := range []struct {
		text         string
		line, column int
		reason       string
	}{
		{"", 0, 0, "empty"},
		{"# only\n", 0, 0, "empty"},
		{"rank\n", 1, 0, "1 columns"},
		{"rank" + strings.Repeat(",x", 17) + "\n", 1, 0, "18 columns"},
		{good + "1,2\n", 3, 0, "2 columns, the first line has 3"},
		{good + "x,2,3\n", 3, 1, `rank "x" must be`},
		{good + "-1,2,3\n", 3, 1, `rank "-1" must be`},
		{good + "0,2,3\n", 3, 1, "rank 0 stands twice"},
		{good + "1,2, 0x1\n", 3, 6, `coordinate "0x1" must be`},
		{good + "1,nan,1\n", 3, 3, `coordinate "nan" must be`},
		{good + "1,2e15,1\n", 3, 3, `coordinate "2e15" must be`},
		{good + "1,2,\n", 3, 0, "1 of 2 coordinates are empty"},
		{good + "1073741823,2,3\n", 3, 0, "1073741824 ranks for 2 pairs"},
	} {
		_, err := ReadCoordinates("f", strings.NewReader(test.text))
		if err == nil {
			t.Errorf("%q: no error", test.text)
			continue
		}
		checkError(t, err)
		checkPlace(t, test.text, err, test.line, test.column, test.reason)
	}
}

// Places that are no small whole numbers keep their proportions: distances are
// those of the file times one number, within rounding.
func TestCoordinatesKeepProportions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 3).Draw(t, "dimensions")
		size := rapid.SampledFrom([]float64{1e-6, 1, 1e6}).Draw(t, "size")
		places := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-size, size), dims, dims), 2, 20).Draw(t,
			"places")
		var file strings.Builder
		for r, place := range places {
			fmt.Fprint(&file, r)
			for _, x := range place {
				fmt.Fprintf(&file, ",%.17g", x)
			}
			fmt.Fprintln(&file)
		}
		c, err := ReadCoordinatesCSV("f", strings.NewReader(file.String()))
		if err != nil {
			t.Fatal(err)
		}
		side := 0.0
		for k := range dims {
			column := make([]float64, len(places))
			for r := range places {
				column[r] = places[r][k]
			}
			side = max(side, slices.Max(column)-slices.Min(column))
		}
		if side == 0 || slices.Max(c.Extents()) < 1<<20 {
			return // one place, or small whole numbers as they are
		}
		for r := range places {
			for k := range dims {
				want := (places[r][k] - places[0][k]) / side * coordinateSteps
				got := float64(c.Of(int32(r))[k] - c.Of(0)[k])
				if math.Abs(got-want) > 1.01 {
					t.Fatalf("rank %d is %v steps off rank 0 along %d, want %v", r, got, k, want)
				}
			}
		}
	})
}
