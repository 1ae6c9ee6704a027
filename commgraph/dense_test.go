package commgraph

import (
	"strings"
	"testing"
)

func TestReadDense(t *testing.T) {
	got, err := ReadDense("m.csv", strings.NewReader("5, 1.2e+06,0\n0,0,7\r\n3,0 ,0\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Check(); err != nil {
		t.Fatal(err)
	}
	want := map[[2]int32]int64{{0, 0}: 5, {0, 1}: 1200000, {1, 2}: 7, {2, 0}: 3}
	if len(got.Bytes) != len(want) {
		t.Errorf("%d entries, want %d", len(got.Bytes), len(want))
	}
	for pair, bytes := range want {
		if i := got.Find(pair[0], pair[1]); i < 0 || got.Bytes[i] != bytes {
			t.Errorf("%v: entry %d, want %d bytes", pair, i, bytes)
		}
	}
}
