package diagnosis

import (
	"remap/commgraph"
	"remap/topology"
)

// mostWalks bounds the pairs of ranks whose paths are followed: of more, every k-th is.
const mostWalks = 200_000

// follow finds how the job's traffic goes on behind hot links, if it divides equally over the candidate
// next links of every switch. hosts has the host of every rank.
// O(pairs x links of their shortest paths).
func (x *tree) follow(t *topology.Topology, traffic *commgraph.Traffic, hosts []int32) {
	w := walker{tree: x, t: t, through: make([]float64, len(x.hot))}
	stride := 1 + len(traffic.Bytes)/mostWalks
	var rails []topology.Rails
	for r := range int32(traffic.Ranks()) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			from, to := hosts[r], hosts[traffic.Destinations[i]]
			if int(i)%stride != 0 || from == to || traffic.Bytes[i] == 0 {
				continue
			}
			rails = t.NearestRails(rails, from, to)
			for _, rail := range rails {
				w.last = rail.Ejection
				w.to = t.SwitchOf(t.Links[rail.Ejection].From)
				w.walk(rail.Injection, float64(traffic.Bytes[i])/float64(len(rails)), 0)
			}
		}
	}
	for k := range x.hot {
		x.hot[k].divide(w.through[k])
	}
}

// walker follows the paths to one switch.
type walker struct {
	*tree
	t       *topology.Topology
	to      int32     // switch number
	last    int32     // the link into the host
	through []float64 // length hot: bytes
	stack   []int32   // candidates of the links of a path
}

// mostHops ends paths that a mistake in routes would let go on for ever.
const mostHops = 64

// walk follows bytes that have taken a link.
func (w *walker) walk(link int32, bytes float64, hops int) {
	k := w.at[link]
	if k >= 0 {
		w.through[k] += bytes
	}
	if link == w.last || hops == mostHops {
		return
	}
	begin := len(w.stack)
	w.stack = w.t.MinimalNext(w.stack, w.t.Links[link].To, w.to)
	if len(w.stack) == begin {
		w.stack = append(w.stack, w.last)
	}
	end := len(w.stack)
	each := bytes / float64(end-begin)
	for i := begin; i < end; i++ {
		next := w.stack[i]
		if n := w.at[next]; k >= 0 && n >= 0 {
			w.hot[k].pass(n, each)
		}
		w.walk(next, each, hops+1)
	}
	w.stack = w.stack[:begin]
}
