package evalsim

import (
	"context"
	"testing"

	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// More messages under way than there are blocks share them, and no packet is
// lost: on every link of their path of three hops, each adds 9 to the sum of the
// count and its variance.
func TestBlocksAreShared(t *testing.T) {
	const messages = maxBlocks/2 + maxBlocks/16
	b := workload.NewBuilder(2, 0)
	for range messages {
		b.Isend(1, 2, 0)
	}
	b.WaitAll()
	b.EndRank()
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	top, err := topology.Parse("fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.PacketBytes, o.BufferBytes = 1, 16
	if o.Sampling, err = sampling.ParseVariant("one-bit"); err != nil {
		t.Fatal(err)
	}
	simulation, err := New(top, []Job{{Program: p, Hosts: []int32{0, 1}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulator(simulation.network, simulation.jobs, &simulation.options)
	s.reset(1)
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(s.messages) < messages || len(s.blocks) != maxBlocks {
		t.Fatalf("%d messages, %d blocks", len(s.messages), len(s.blocks))
	}
	table := s.tables[0]
	if table.Received.Packets != 2*messages {
		t.Fatalf("%+v", table.Received)
	}
	for _, some := range s.paths(s.messages[0].link, top.Ejection(1)[0]) {
		for link := some.First; link < some.First+some.Count; link++ {
			if e := &table.Links[link]; e.Packets+e.PacketsVariance != 2*messages*9 {
				t.Errorf("link %d: %+v", link, e)
			}
		}
	}
}
