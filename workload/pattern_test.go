package workload

import "testing"

func TestStencil2DOfTheThesis(t *testing.T) {
	p, err := ParsePattern("stencil2d:64x72")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	traffic, err := p.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	if got := traffic.Graph().Edges(); got != 9080 {
		t.Errorf("%d pairs, want 9080", got)
	}
	if got := p.Packets(4096); got != 18160*32 {
		t.Errorf("%d packets, want %d", got, 18160*32)
	}
	for r := range int32(p.Ranks()) {
		if got := len(p.RankOps(r)); got != 4 {
			t.Fatalf("rank %d has %d operations, want 4", r, got)
		}
	}
}
