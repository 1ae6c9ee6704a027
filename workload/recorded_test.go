package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// drawTraffic is random traffic with self traffic, empty messages and pairs of
// very different volume.
func drawTraffic(t *rapid.T, counted bool) *commgraph.Traffic {
	ranks := rapid.IntRange(0, 12).Draw(t, "ranks")
	flow := rapid.Custom(func(t *rapid.T) commgraph.Flow {
		f := commgraph.Flow{
			From:  int32(rapid.IntRange(0, ranks-1).Draw(t, "from")),
			To:    int32(rapid.IntRange(0, ranks-1).Draw(t, "to")),
			Bytes: rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1<<20)).Draw(t, "bytes"),
		}
		if counted {
			f.Messages = rapid.Int64Range(1, 40).Draw(t, "messages")
		}
		return f
	})
	var flows []commgraph.Flow
	if ranks > 0 {
		flows = rapid.SliceOfN(flow, 0, 40).Draw(t, "flows")
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, counted)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// pairs lists bytes and messages of every pair of different ranks that sends
// anything.
func pairs(t *commgraph.Traffic) map[[2]int32][2]int64 {
	found := map[[2]int32][2]int64{}
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			pair := [2]int64{t.Bytes[i], 0}
			if t.Messages != nil {
				pair[1] = t.Messages[i]
			}
			if to := t.Destinations[i]; to != r && pair != [2]int64{} {
				found[[2]int32{r, to}] = pair
			}
		}
	}
	return found
}

func mustRecord(t rapid.TB, traffic *commgraph.Traffic, o RecordedOptions) *Program {
	t.Helper()
	p, err := Recorded(traffic, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func mustFold(t rapid.TB, p *Program) *commgraph.Traffic {
	t.Helper()
	traffic, err := p.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

func TestRecordedConservesBytesAndMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counted := rapid.Bool().Draw(t, "counted")
		traffic := drawTraffic(t, counted)
		o := DefaultRecordedOptions()
		o.MessageBytes = rapid.Int64Range(100, 100000).Draw(t, "message")
		o.Wait = rapid.Bool().Draw(t, "wait")
		p := mustRecord(t, traffic, o)
		if p.VolumeScale != 1 || p.Warning != "" {
			t.Fatalf("scaled by %g, warning %q", p.VolumeScale, p.Warning)
		}
		want, got := pairs(traffic), pairs(mustFold(t, p))
		if len(got) != len(want) {
			t.Fatalf("%d pairs, want %d", len(got), len(want))
		}
		for pair, w := range want {
			if !counted {
				w[1] = (w[0] + o.MessageBytes - 1) / o.MessageBytes
			}
			if got[pair] != w {
				t.Fatalf("%v: %v bytes and messages, want %v", pair, got[pair], w)
			}
		}
	})
}

func TestRecordedSpreadsAndInterleaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counted := rapid.Bool().Draw(t, "counted")
		p := mustRecord(t, drawTraffic(t, counted), DefaultRecordedOptions())
		for r := range int32(p.Ranks()) {
			checkRounds(t, p.RankOps(r), counted)
		}
	})
}

// checkRounds cuts a rank's messages into rounds where the partners descend:
// each must hold every partner that appears in a later one.
func checkRounds(t *rapid.T, ops []Op, counted bool) {
	var rounds [][]int32
	smallest, largest := map[int32]int64{}, map[int32]int64{}
	for i, op := range ops {
		if i == 0 || op.Peer <= ops[i-1].Peer {
			rounds = append(rounds, nil)
		}
		last := len(rounds) - 1
		rounds[last] = append(rounds[last], op.Peer)
		if _, ok := smallest[op.Peer]; !ok {
			smallest[op.Peer] = op.Bytes
		}
		smallest[op.Peer] = min(smallest[op.Peer], op.Bytes)
		largest[op.Peer] = max(largest[op.Peer], op.Bytes)
	}
	for i := 1; i < len(rounds); i++ {
		for _, peer := range rounds[i] {
			if !slices.Contains(rounds[i-1], peer) {
				t.Fatalf("partner %d in round %d, not in the one before: %v", peer, i, rounds)
			}
		}
	}
	for peer := range largest {
		if counted && largest[peer]-smallest[peer] > 1 {
			t.Fatalf("messages to %d of %d to %d bytes", peer, smallest[peer], largest[peer])
		}
	}
}

func TestRecordedOrder(t *testing.T) {
	traffic, err := commgraph.NewTraffic(4, []commgraph.Flow{
		{From: 1, To: 3, Bytes: 7, Messages: 3}, {From: 1, To: 0, Bytes: 4, Messages: 1},
		{From: 1, To: 2, Bytes: 10, Messages: 2}, {From: 1, To: 1, Bytes: 9, Messages: 1},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	p := mustRecord(t, traffic, DefaultRecordedOptions())
	want := []Op{{Peer: 0, Bytes: 4}, {Peer: 2, Bytes: 5}, {Peer: 3, Bytes: 3}, {Peer: 2, Bytes: 5},
		{Peer: 3, Bytes: 2}, {Peer: 3, Bytes: 2}}
	if got := p.RankOps(1); !slices.Equal(got, want) || len(p.Ops) != len(want) {
		t.Errorf("rank 1 does %v, want %v", got, want)
	}
	traffic.Messages = nil
	o := DefaultRecordedOptions()
	o.MessageBytes = 4
	p = mustRecord(t, traffic, o)
	want = []Op{{Peer: 0, Bytes: 4}, {Peer: 2, Bytes: 4}, {Peer: 3, Bytes: 4}, {Peer: 2, Bytes: 4},
		{Peer: 3, Bytes: 3}, {Peer: 2, Bytes: 2}}
	if got := p.RankOps(1); !slices.Equal(got, want) {
		t.Errorf("without counts rank 1 does %v, want %v", got, want)
	}
}

// TestRecordedScaled: the bound holds unless there are more pairs than that,
// and every pair keeps its share within rounding.
func TestRecordedScaled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counted := rapid.Bool().Draw(t, "counted")
		traffic := drawTraffic(t, counted)
		o := RecordedOptions{MessageBytes: 5000, PacketBytes: 512,
			MaxPackets: rapid.Int64Range(1, 3000).Draw(t, "most"), Wait: rapid.Bool().Draw(t, "wait")}
		p := mustRecord(t, traffic, o)
		want, got := pairs(traffic), pairs(mustFold(t, p))
		if least := int64(len(want)); (least > o.MaxPackets) != (p.Warning != "") {
			t.Fatalf("%d pairs, at most %d packets: warning %q", least, o.MaxPackets, p.Warning)
		} else if n := p.Packets(o.PacketBytes); n > max(least, o.MaxPackets) {
			t.Fatalf("%d packets, at most %d asked for", n, o.MaxPackets)
		}
		f := p.VolumeScale
		if f <= 0 || f > 1 || len(got) != len(want) {
			t.Fatalf("factor %g, %d pairs, want %d", f, len(got), len(want))
		}
		for pair, w := range want {
			for k, v := range w {
				if k == 1 && !counted {
					continue
				}
				if x := float64(v) * f; v > 0 && max(x-0.5, 1) > float64(got[pair][k])+1e-6 ||
					float64(got[pair][k]) > max(x+0.5, 1)+1e-6 {
					t.Fatalf("%v: %d times %g became %d", pair, v, f, got[pair][k])
				}
			}
		}
	})
}

// TestRecordedUsesTheRoom: with messages of many packets, the limit is nearly
// reached, and twice the limit is about twice the volume.
func TestRecordedUsesTheRoom(t *testing.T) {
	var flows []commgraph.Flow
	for r := range int32(50) {
		for k := range int32(6) {
			flows = append(flows, commgraph.Flow{From: r, To: (r + 1 + k) % 50, Bytes: int64(1+k) << 24,
				Messages: 200})
		}
	}
	for _, counted := range []bool{true, false} {
		t.Run(fmt.Sprint("counted=", counted), func(t *testing.T) {
			traffic, err := commgraph.NewTraffic(50, flows, counted)
			if err != nil {
				t.Fatal(err)
			}
			o := DefaultRecordedOptions()
			var volume [2]float64
			for i, most := range []int64{100000, 200000} {
				o.MaxPackets = most
				p := mustRecord(t, traffic, o)
				if n := p.Packets(o.PacketBytes); n > most || n < most*97/100 {
					t.Errorf("%d packets of %d", n, most)
				}
				volume[i] = float64(mustFold(t, p).TotalBytes())
			}
			if ratio := volume[1] / volume[0]; ratio < 1.9 || ratio > 2.1 {
				t.Errorf("twice the packets are %.3f times the volume", ratio)
			}
		})
	}
}

func TestScalePattern(t *testing.T) {
	p, err := ParsePattern("stencil2d:64x72")
	if err != nil {
		t.Fatal(err)
	}
	if q, warning := Scale(p, 4096, 18160*32); q != p || warning != "" {
		t.Errorf("scaled by %g, %q, though it fits", q.VolumeScale, warning)
	}
	q, warning := Scale(p, 4096, 18160*8)
	// 8 packets a message at most, and more than 7.99: one factor for all.
	if got := q.Ops[1].Bytes; got != 8*4096 || warning != "" {
		t.Errorf("messages of %d bytes, warning %q", got, warning)
	}
	if q.Ops[0].Kind != Idle || q.Ops[0].Bytes != q.Ops[1].Bytes || p.Ops[1].Bytes != 131072 {
		t.Errorf("idle time %+v, message %+v, original %+v", q.Ops[0], q.Ops[1], p.Ops[1])
	}
	if got := q.VolumeScale * 131072; got < 8*4096-0.6 || got > 8*4096+0.6 {
		t.Errorf("volume scale %g", q.VolumeScale)
	}
	q, warning = Scale(p, 4096, 1000)
	if !strings.Contains(warning, "18160") || q.Packets(4096) != 18160 {
		t.Errorf("%d packets, warning %q", q.Packets(4096), warning)
	}
}

func TestRecordedOptions(t *testing.T) {
	if err := DefaultRecordedOptions().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*RecordedOptions){
		"MessageBytes": func(o *RecordedOptions) { o.MessageBytes = 0 },
		"PacketBytes":  func(o *RecordedOptions) { o.PacketBytes = -1 },
		"MaxPackets":   func(o *RecordedOptions) { o.MaxPackets = -1 },
	} {
		o := DefaultRecordedOptions()
		change(&o)
		_, err := Recorded(&commgraph.Traffic{}, o)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s out of bounds: error %v", name, err)
		}
	}
}
