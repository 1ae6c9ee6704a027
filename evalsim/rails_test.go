package evalsim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// planes is a fabric of leaf switches and one spine on which every host has some
// adapters on each leaf.
func planes(t testing.TB, hosts, leaves, each int) *topology.Topology {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "Switch %d \"spine\" # \"spine\"\n", leaves)
	for leaf := range leaves {
		fmt.Fprintf(&b, "[%d] \"leaf%d\"[40] # \"leaf%d\" lid 1 4xEDR\n", leaf+1, leaf, leaf)
	}
	for leaf := range leaves {
		fmt.Fprintf(&b, "\nSwitch 40 \"leaf%d\" # \"leaf%d\"\n", leaf, leaf)
		for card := range hosts * each {
			fmt.Fprintf(&b, "[%d] \"card%d-%d\"[1] # \"n%d mlx5_%d\" lid 1 "+
				"4xEDR\n", card+1, card, leaf, card/each, leaf*each+card%each)
		}
		fmt.Fprintf(&b, "[40] \"spine\"[%d] # \"spine\" lid 1 4xEDR\n", leaf+1)
		for card := range hosts * each {
			fmt.Fprintf(&b, "\nCa 1 \"card%d-%d\" # \"n%d mlx5_%d\"\n[1] \"leaf%d\"[%d] # lid 1 \"leaf%d\" lid 1 "+
				"4xEDR\n",
				card, leaf, card/each, leaf*each+card%each, leaf, card+1, leaf)
		}
	}
	top, err := topology.ReadIBNetDiscover("planes", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// A host's messages take its rails in turn, whatever stands between the sends
// of a program and wherever its ranks sit: no rail carries more than a message
// above its share.
func TestRailsInTurn(t *testing.T) {
	const bytes = 1 << 16
	cyclic, block := []int32{0, 1, 0, 1, 0, 1, 0, 1}, []int32{0, 0, 0, 0, 1, 1, 1, 1}
	for _, c := range []struct {
		name     string
		hosts    []int32
		messages int64 // a host
		ops      func(peer int32) []workload.Op
	}{
		{"send and receive in turn", block, 40, func(peer int32) (list []workload.Op) {
			for range 10 {
				list = append(list, isend(peer, bytes), receive(peer))
			}
			return list
		}},
		{"one message and two other operations", block, 4, func(peer int32) []workload.Op {
			return []workload.Op{isend(peer, bytes), compute(5), waitAll}
		}},
		{"one message a rank", block, 4, func(peer int32) []workload.Op {
			return []workload.Op{send(peer,
				bytes)}
		}},
		{"one message a rank, ranks in turn", cyclic, 4,
			func(peer int32) []workload.Op { return []workload.Op{send(peer, bytes)} }},
	} {
		for _, fabric := range [][2]int{{2, 1}, {3, 1}, {1, 2}, {2, 2}, {1, 3}} {
			for _, eager := range []int64{0, 100} {
				lists := make([][]workload.Op, len(c.hosts))
				for r := range lists {
					peer := int32(r) ^ 4
					if c.hosts[r] == c.hosts[peer] {
						peer = int32(r) ^ 1
					}
					lists[r] = c.ops(peer)
				}
				o := options(func(o *evalsim.Options) { o.EagerBytes = eager })
				top := planes(t, 2, fabric[0], fabric[1])
				r, err := evalsim.Run(context.Background(), top,
					[]evalsim.Job{{Program: ops(lists...), Hosts: c.hosts}}, o)
				if err != nil {
					t.Fatal(err)
				}
				rails := int64(fabric[0] * fabric[1])
				for l := range top.Links {
					if !top.IsHost(top.Links[l].From) && !top.IsHost(top.Links[l].To) {
						continue
					}
					if got := r.Links[l].Bytes / bytes; got > (c.messages+rails-1)/rails || got < c.messages/rails {
						t.Errorf("%s, eager to %d: one of %d rails from %s to %s carries %d of %d "+
							"messages", c.name, eager, rails,
							top.NodeName(top.Links[l].From), top.NodeName(top.Links[l].To), got, c.messages)
					}
				}
			}
		}
	}
}

// A sender who goes on when its message has left is ahead of the network by a
// transmission a rail: hosts of many rails keep to the closed form. The tag
// invariants tells whether every event is in reach of the wheel.
func TestManyRails(t *testing.T) {
	for _, leaves := range []int{1, 4, 16, 30} {
		var list []workload.Op
		for range 100 {
			list = append(list, send(1, 4096))
		}
		r := run(t, planes(t, 2, leaves, 1), ops(list, nil), evalsim.DefaultOptions())
		near(t, "makespan", r.Makespan, oneWay(100*4096), 0.01)
	}
}
