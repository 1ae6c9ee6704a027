package workload

import (
	"fmt"
	"os"
	"testing"

	"remap/commgraph"
)

// The recorded CG of class C on 64 ranks (MapLib) is 76 calls of conj_grad: in
// each 26 products of matrix and vector, 52 sums of a double and one of two. An
// iteration of ours is one product and two sums, so that every entry of the
// recorded matrix follows from it.
func TestNASCGIsTheRecordedOne(t *testing.T) {
	const path = "../../shared/data/maplib/cg.p2p.size.csv"
	file, err := os.Open(path)
	if err != nil {
		t.Skip("the recorded CG matrix is absent: ", err)
	}
	defer file.Close()
	recorded, err := commgraph.ReadDense(path, file)
	if err != nil {
		t.Fatal(err)
	}
	ours := mustFold(t, mustParse(t, "nas-cg:64,class=C"))
	for from := range int32(64) {
		for to := range int32(64) {
			var want int64
			if i := ours.Find(from, to); i >= 0 {
				const products, sums = 76 * 26, 76 * (52*8 + 16)
				big, small := ours.Bytes[i]/1000*1000, ours.Bytes[i]%1000
				want = products * big
				switch small {
				case 0: // transpose
				case 16: // partner in the row
					want += sums
				default:
					t.Fatalf("%d to %d: %d bytes", from, to, ours.Bytes[i])
				}
			}
			var got int64
			if i := recorded.Find(from, to); i >= 0 {
				got = recorded.Bytes[i]
			}
			if got != want {
				t.Errorf("%d to %d: recorded %d bytes, from ours %d", from, to, got, want)
			}
		}
	}
}

// For any power of two and any matrix: partners are each other's, what a
// rank sends is what its partner expects, the program ends whatever the order
// of messages, and an iteration carries each row block log2(columns) times, in
// full or in half, and once to the transpose partner.
func TestNASCGExchanges(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
		for _, rows := range []int64{1, 13, 14000, 150001} {
			spec := fmt.Sprintf("nas-cg:%d,rows=%d,rounds=2", ranks, rows)
			p := mustParse(t, spec)
			g := newNASCG(ranks)
			if g.rows*g.columns != ranks || g.columns != g.rows && g.columns != 2*g.rows ||
				p.Grid[0]*p.Grid[1] != ranks {
				t.Fatalf("%s: grid %dx%d", spec, g.columns, g.rows)
			}
			expected := map[[3]int32]int64{} // from, to, tag
			for me := range ranks {
				if other := g.transposePartner(me); g.transposePartner(other) != me {
					t.Fatalf("%s: %d to %d to %d", spec, me, other, g.transposePartner(other))
				}
				for _, op := range p.RankOps(int32(me)) {
					switch op.Kind {
					case Send:
						expected[[3]int32{int32(me), op.Peer, int32(op.Tag)}] += op.Bytes
					case Ireceive:
						expected[[3]int32{op.Peer, int32(me), int32(op.Tag)}] -= op.Bytes
					}
				}
			}
			for key, left := range expected {
				if left != 0 {
					t.Fatalf("%s: %v: %d bytes sent that nobody expects", spec, key, left)
				}
			}
			mustEnd(t, spec, traced{p, make([]payload, len(p.Ops))}, 1, nil)
			var want int64
			if g.steps > 0 {
				halves := int64(g.columns / g.rows)
				want = 2 * (rows*8*int64(g.columns)/halves*int64(g.steps+1) + int64(2*g.steps*ranks)*8)
			}
			if got := mustFold(t, p).TotalBytes(); got != want {
				t.Errorf("%s: %d bytes, want %d", spec, got, want)
			}
		}
	}
}

// Sizes follow the class, the rows or the bytes, and ranks must be a power of two.
func TestNASCGSizes(t *testing.T) {
	largest := func(spec string) (most int64) {
		for _, op := range mustParse(t, spec).Ops {
			if op.Kind == Send {
				most = max(most, op.Bytes)
			}
		}
		return most
	}
	for spec, want := range map[string]int64{
		"nas-cg:64":           150000,
		"nas-cg:16":           14000 / 4 * 8,
		"nas-cg:16,class=B":   75000 / 4 * 8,
		"nas-cg:32,class=A":   14000 / 4 / 2 * 8,
		"nas-cg:64,rows=800":  800,
		"nas-cg:64,bytes=777": 777,
		"nas-cg:64,bytes=0":   8,
		"nas-cg:64,class=D":   1500000,
	} {
		if got := largest(spec); got != want {
			t.Errorf("%s: at most %d bytes, want %d", spec, got, want)
		}
	}
	for _, spec := range []string{"nas-cg:48", "nas-cg:0", "nas-cg:64,class=F", "nas-cg:64,rows=0"} {
		if _, err := ParsePattern(spec); err == nil {
			t.Errorf("%s is taken", spec)
		}
	}
}
