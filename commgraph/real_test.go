package commgraph

import (
	"bytes"
	"testing"
)

// TestRecordedProfiles reads the matrices of two real programs (NAS CG, AMG,
// 64 ranks each) with their counts.
func TestRecordedProfiles(t *testing.T) {
	for _, name := range []string{"cg", "amg"} {
		t.Run(name, func(t *testing.T) {
			sizes := shared(t, "maplib", name+".p2p.size.csv")
			counts := shared(t, "maplib", name+".p2p.count.csv")
			traffic, err := Read(sizes.Name(), sizes, "")
			if err != nil {
				t.Fatal(err)
			}
			before := traffic.TotalBytes()
			if err := ReadDenseCounts(traffic, counts.Name(), counts); err != nil {
				t.Fatal(err)
			}
			mustCheck(t, traffic)
			mustCheck(t, traffic.Graph())
			s := traffic.Stats()
			t.Logf("%+v", s)
			if s.Ranks != 64 || s.Pairs == 0 || s.Messages < int64(s.Pairs) || traffic.TotalBytes() != before {
				t.Errorf("%+v, %d bytes before the counts", s, before)
			}
			for i, b := range traffic.Bytes {
				if b > 0 && traffic.Messages[i] == 0 {
					t.Errorf("entry %d has bytes and no message", i)
				}
			}
		})
	}
}

// TestRealMETIS reads graphs of the field and writes them back.
func TestRealMETIS(t *testing.T) {
	for _, test := range []struct {
		name            string
		vertices, edges int
	}{{"4elt", 15606, 45878}, {"delaunay_n15", 32768, 98274}, {"rgg_n_2_15_s0", 32768, 160240}} {
		t.Run(test.name, func(t *testing.T) {
			f := shared(t, "graphs", test.name+".graph")
			g, err := ReadMETIS(f.Name(), f)
			if err != nil {
				t.Fatal(err)
			}
			mustCheck(t, g)
			if g.Vertices() != test.vertices || g.Edges() != test.edges {
				t.Errorf("%d vertices, %d edges; want %d, %d", g.Vertices(), g.Edges(), test.vertices, test.edges)
			}
			var file bytes.Buffer
			if err := WriteMETIS(&file, g); err != nil {
				t.Fatal(err)
			}
			again, err := ReadMETIS("again", &file)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "again", again, g)
		})
	}
}
