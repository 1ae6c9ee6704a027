package diagnosis

import "math"

// waiting is how the packets that wait divide over kinds of roots, as shares of all that wait.
type waiting struct{ end, inside, foreign float64 }

func (x *diagnosis) waiting() (w waiting, any bool) {
	total := 0.0
	for k, waits := range x.waits {
		h := &x.tree.hot[k]
		total += waits
		if x.atOwnHost(h) {
			w.end += waits
			continue
		}
		own := x.own(h)
		w.inside += waits * own
		w.foreign += waits * (1 - own)
	}
	if total == 0 {
		return waiting{}, false
	}
	return waiting{w.end / total, w.inside / total, w.foreign / total}, true
}

// lost is the logarithm of the factor that each cause costs.
func (x *diagnosis) lost() map[Cause]float64 {
	lost := map[Cause]float64{}
	w, any := x.waiting()
	if !any {
		return lost
	}
	b := x.bounds
	if b.Injection == 0 { // nothing is known of times: the packets that wait have to do
		lost[ByOthers] = w.foreign
		lost[ByPattern] = w.end
		if x.relievable() {
			lost[ByMapping] = w.inside
		} else {
			lost[ByPattern] += w.inside
		}
		return lost
	}
	unavoidable := max(b.Injection, b.Ejection, b.Least)
	needed := unavoidable
	if x.relievable() {
		needed = max(needed, b.Interior)
	}
	if x.relievable() && w.inside >= insideWaits {
		// Where phases do not overlap, a better mapping saves what the busiest link then carries less, as far
		// as other needs do not fill the time.
		saved := b.Interior - max(b.Injection, x.even)
		needed = max(needed, unavoidable/max(unavoidable, 1-saved))
	}
	needed = min(1, needed)
	lost[ByPattern] = math.Log(unavoidable / b.Injection)
	lost[ByMapping] = math.Log(needed / unavoidable)
	x.addRest(lost, math.Log(1/needed), w)
	return lost
}

// addRest gives the time in which the job's own bytes keep no link busy to its cause. It is that of others
// if packets wait at roots that the job does not fill. Else the job waits in turns for what was found; where
// nothing was, for collisions of messages at hosts or inside the network.
func (x *diagnosis) addRest(lost map[Cause]float64, rest float64, w waiting) {
	found := lost[ByPattern] + lost[ByMapping]
	switch {
	case w.foreign >= foreignWaits || w.foreign >= fewForeignWaits && rest >= math.Log(clearRest):
		lost[ByOthers] += rest
	case found >= math.Log(presentFactor):
		for _, c := range []Cause{ByPattern, ByMapping} {
			lost[c] += rest * lost[c] / found
		}
	case w.inside > w.end && x.relievable():
		lost[ByMapping] += rest
	default:
		lost[ByPattern] += rest
	}
}
