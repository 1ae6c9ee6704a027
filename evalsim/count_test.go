package evalsim

import "testing"

// A link's counts are its channels' sums, and the peak that they share.
func TestCountsOfChannels(t *testing.T) {
	s := empty(t, "dragonfly:groups=9,routers=4,hosts=2,global=2", DefaultOptions())
	link := s.hostLinks + 3
	for v, peak := range []int32{100, 900, 0, 300, 50, 7} {
		c := s.channelAt.at(link*s.virtual + int32(v))
		c.packets, c.peak, c.area = uint32(v+1), peak, float64(10*v)
		s.found[link*s.virtual+int32(v)] = uint32(2 * v)
	}
	s.short[link], s.stalled[link] = 96, 5000
	want := linkCount{bytes: 21*4096 - 96, packets: 21, congested: 30, stalled: 5000, area: 150, peak: 100}
	if got := s.counts(link); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	before := linkCount{bytes: 4096, packets: 1, congested: 2, stalled: 1000, area: 50, peak: 5000}
	want = linkCount{bytes: 20*4096 - 96, packets: 20, congested: 28, stalled: 4000, area: 100, peak: 100}
	if got := s.counts(link).minus(&before); got != want {
		t.Errorf("since before %+v, want %+v", got, want)
	}
}
