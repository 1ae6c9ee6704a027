package topology

import (
	"cmp"
	"math/bits"
	"slices"
)

// walker is the scratch memory of a computation.
type walker struct {
	t       *Topology
	seen    []bool      // length switches: in the queue
	queue   []int32     // switches to go on from, then those already left
	runs    []LinkRange // of the links crossed, switch by switch
	set     []uint64    // bits of all links; made when first needed
	scratch []int32
}

func newWalker(t *Topology) *walker {
	return &walker{t: t, seen: make([]bool, t.Switches()), scratch: make([]int32, 0, 64)}
}

func (w *walker) start(s int32) {
	if !w.seen[s] {
		w.seen[s], w.queue = true, append(w.queue, s)
	}
}

// follow takes every candidate toward a switch, from the switches started at
// on, and lists the links in runs. It then forgets where it has been.
func (w *walker) follow(to int32) {
	t, r := w.t, w.t.Routes
	virtual := r.VirtualChannels
	w.runs = w.runs[:0]
	for i := 0; i < len(w.queue); i++ {
		at := w.queue[i]
		if at == to {
			continue
		}
		next, run := int32(-1), -1 // the channel that would lengthen the run
		for _, c := range r.CandidatesIn(w.scratch, at, to) {
			if c == next {
				w.runs[run].Count++
			} else {
				run = len(w.runs)
				w.runs = append(w.runs, LinkRange{c / virtual, 1})
			}
			next = c + virtual
			w.start(t.SwitchOf(t.Links[w.runs[run].First+w.runs[run].Count-1].To))
		}
	}
	for _, s := range w.queue {
		w.seen[s] = false
	}
	w.queue = w.queue[:0]
}

// minimal is the set of links on minimal ways between two switches.
func (w *walker) minimal(from, to int32) []LinkRange {
	if w.t.SwitchDistance(from, to) < 0 {
		return nil
	}
	w.start(from)
	w.follow(to)
	slices.SortFunc(w.runs, func(a, b LinkRange) int { return cmp.Compare(a.First, b.First) })
	joined := w.runs[:0]
	for _, r := range w.runs {
		joined = addRange(joined, 0, r)
	}
	return slices.Clone(joined)
}

// scatter is the set of links on minimal ways from a switch to all intermediate
// ones.
func (w *walker) scatter(from int32) []LinkRange {
	for _, by := range w.t.Routes.Intermediate {
		if w.t.SwitchDistance(from, by) >= 0 {
			w.start(from)
			w.follow(by)
			w.mark()
		}
	}
	return w.marked()
}

// gather is the set of links on minimal ways from all intermediate switches to
// one. What has been a candidate from one of them need not be followed again.
func (w *walker) gather(to int32) []LinkRange {
	for _, by := range w.t.Routes.Intermediate {
		if w.t.SwitchDistance(by, to) >= 0 {
			w.start(by)
		}
	}
	w.follow(to)
	w.mark()
	return w.marked()
}

// mark puts the runs into the set.
func (w *walker) mark() {
	if w.set == nil {
		w.set = make([]uint64, len(w.t.Links)/64+1)
	}
	for _, r := range w.runs {
		for l := r.First; l < r.First+r.Count; l++ {
			w.set[l>>6] |= 1 << (l & 63)
		}
	}
}

// marked gives the set as ranges, and empties it.
func (w *walker) marked() []LinkRange {
	w.runs = w.runs[:0]
	for i, word := range w.set {
		w.set[i] = 0
		for word != 0 {
			first := bits.TrailingZeros64(word)
			count := bits.TrailingZeros64(^(word >> first))
			w.runs = addRange(w.runs, 0, LinkRange{int32(i*64 + first), int32(count)})
			word &^= (1<<count - 1) << first
		}
	}
	return slices.Clone(w.runs)
}
