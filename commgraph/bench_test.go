package commgraph

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// cube27 is the 27-point stencil on a cube of that side, unit weights.
func cube27(side int) *Graph {
	g := &Graph{Offsets: []int32{0}}
	for v := range side * side * side {
		x, y, z := v%side, v/side%side, v/side/side
		for dz := -1; dz <= 1; dz++ {
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					a, b, c := x+dx, y+dy, z+dz
					u := (c*side+b)*side + a
					if u == v || min(a, b, c) < 0 || max(a, b, c) >= side {
						continue
					}
					g.Neighbors = append(g.Neighbors, int32(u))
					g.Weights = append(g.Weights, 64)
				}
			}
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	return g
}

// BenchmarkRead reads the 27-point stencil of 64^3 ranks, 60 to 100 MB in every
// format, from memory; shuffled has the neighbours of every vertex in any order.
func BenchmarkRead(b *testing.B) {
	const side = 64
	traffic := func() *Traffic { return cube27(side).Traffic() }
	for _, c := range []struct {
		name, format string
		write        func(w *bytes.Buffer) error
	}{
		{"metis", FormatMETIS, func(w *bytes.Buffer) error { return WriteMETIS(w, cube27(side)) }},
		{"metis-shuffled", FormatMETIS, func(w *bytes.Buffer) error {
			_, err := w.WriteString(metisText(cube27(side), rand.New(rand.NewPCG(1, 2))))
			return err
		}},
		{"scotch", FormatScotch, func(w *bytes.Buffer) error { return WriteScotch(w, cube27(side)) }},
		{"matrix-market", FormatMatrixMarket, func(w *bytes.Buffer) error {
			return WriteMatrixMarket(w,
				traffic())
		}},
	} {
		b.Run("format="+c.name, func(b *testing.B) {
			var file bytes.Buffer
			if err := c.write(&file); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				switch r := bytes.NewReader(file.Bytes()); c.format {
				case FormatMETIS:
					_, err = ReadMETIS("b", r)
				case FormatScotch:
					_, err = ReadScotch("b", r)
				default:
					_, err = ReadMatrixMarket("b", r)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewTraffic(b *testing.B) {
	const ranks = 4608
	random := rand.New(rand.NewPCG(1, 2))
	flows := make([]Flow, 1e6)
	for i := range flows {
		flows[i] = Flow{random.Int32N(ranks), random.Int32N(ranks), 4096, 1}
	}
	for b.Loop() {
		if _, err := NewTraffic(ranks, flows, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	t := cube27(32).Traffic()
	for b.Loop() {
		t.Graph()
	}
}
