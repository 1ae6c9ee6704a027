// Package sampling is what a packet carries and what its receiver concludes:
// reservoir sampling of the hops a packet took and of those that were
// congested (Taffet 2018, chapter 3). It knows nothing of a simulator: a
// switch or a trace can feed it as well.
package sampling

// Header is what a packet carries: two reservoirs of one sample each
// (Taffet 2018, algorithm 2 is its Reset). A link stands for the switch and
// the output port the thesis stores.
type Header struct {
	HopLink        int32 // sampled output link; meaningless while HopCount is 0
	CongestedLink  int32 // sampled congested output link; meaningless while CongestedCount is 0
	HopCount       uint8 // switch output ports crossed; stays at 255, from where on estimates fall short
	CongestedCount uint8 // those of them that were congested; likewise
}

// Reset empties both reservoirs at the sender (Taffet 2018, algorithm 2).
func (h *Header) Reset() { *h = Header{} }

// Cross records one switch output port on the way (Taffet 2018, algorithm 3).
func (h *Header) Cross(link int32, congested bool, random *Random) {
	if Keeps(h.HopCount, random) {
		h.HopLink = link
	}
	h.HopCount += 1 - h.HopCount/255
	if !congested {
		return
	}
	if Keeps(h.CongestedCount, random) {
		h.CongestedLink = link
	}
	h.CongestedCount += 1 - h.CongestedCount/255
}

// Keeps decides whether sample number count (from 0) replaces the reservoir:
// with probability 1/(count+1), so the first always does.
func Keeps(count uint8, random *Random) bool {
	return uint64(random.Uint32())*(uint64(count)+1)>>32 == 0
}
