package workload

import (
	"path/filepath"
	"testing"

	"remap/commgraph"
)

// TestRealProfiles: two recorded programs (NAS CG, AMG on 64 ranks) come out
// within the limit, with volumes of one factor and messages of about their size.
func TestRealProfiles(t *testing.T) {
	for _, name := range []string{"cg", "amg"} {
		t.Run(name, func(t *testing.T) {
			traffic := profile(t, name)
			o := DefaultRecordedOptions()
			o.MaxPackets = 1_000_000
			p := mustRecord(t, traffic, o)
			n := p.Packets(o.PacketBytes)
			t.Logf("%d operations, %d packets, scale %g", len(p.Ops), n, p.VolumeScale)
			if n > o.MaxPackets || n < o.MaxPackets*9/10 || p.Warning != "" {
				t.Errorf("%d packets of %d, warning %q", n, o.MaxPackets, p.Warning)
			}
			before, after := traffic.Graph(), mustFold(t, p).Graph()
			if before.Edges() != after.Edges() {
				t.Fatalf("%d pairs became %d", before.Edges(), after.Edges())
			}
			for i, w := range before.Weights {
				want := float64(w) * p.VolumeScale
				if got := float64(after.Weights[i]); got < want-1 || got > want+2 {
					t.Errorf("half-edge %d: %d times %g became %g", i, w, p.VolumeScale, got)
				}
			}
		})
	}
}

// profile reads a recorded program with its counts, or skips.
func profile(t *testing.T, name string) *commgraph.Traffic {
	t.Helper()
	const folder = "../../shared/data/maplib"
	traffic, err := commgraph.Open(filepath.Join(folder, name+".p2p.size.csv"), "")
	if err != nil {
		t.Skipf("no collection of recorded profiles beside the project: %v", err)
	}
	counts, err := commgraph.OpenFile(filepath.Join(folder, name+".p2p.count.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	if err := commgraph.ReadDenseCounts(traffic, counts.Name(), counts); err != nil {
		t.Fatal(err)
	}
	return traffic
}
