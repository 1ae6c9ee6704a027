package sampling_test

import (
	"math"
	"testing"

	"remap/internal/testkit/tier"
	"remap/sampling"
)

// The share of links without a packet that seem to have some is 1-level. A share
// of 1/200 is measured over 2000 runs and 48 links with a standard error of 5 %
// of it; the deviation of the sums from normal ones stays within another 10 %.
func TestFalsePositives(t *testing.T) {
	tier.Long(t, "filters of all sizes: a second")
	t.Parallel()
	const runs, crossed, unused = 2000, 17, 48
	names := []string{"one-bit", "one-reservoir"}[:tier.Cases(1, 2, 2)]
	if long() {
		names = append(names, "one-bit,hash=crc")
	}
	some := fixedTraffic(400)
	some.links += unused
	for _, name := range names {
		v := parse(t, name)
		levels := []float64{0.95, 0.99, 0.995}
		positives := make([]float64, len(levels))
		for run := range runs {
			table := some.run(v, uint64(run)+4e9)
			for i, level := range levels {
				clean := table.Cleaned(level)
				for link := crossed; link < some.links; link++ {
					significant := table.Significant(int32(link), level)
					if significant != (clean.Links[link] != sampling.Entry{}) {
						t.Fatalf("link %d: significant %v, cleaned %+v", link, significant, clean.Links[link])
					}
					if significant {
						positives[i]++
					}
				}
			}
		}
		for i, level := range levels {
			want := 1 - level
			rate, deviation := positives[i]/(runs*unused), math.Sqrt(want*level/(runs*unused))
			t.Logf("%s at %g: %.5f", name, level, rate)
			if math.Abs(rate-want) > 4*deviation+0.1*want {
				t.Errorf("%s at %g: the share of false positives is %.5f", name, level, rate)
			}
		}
	}
}

// False positives of filters are few events: their number jumps, and the rate is
// at most twice what is asked for.
func TestFalsePositivesOfFilters(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	const runs, crossed, unused = 400, 17, 48
	some := fixedTraffic(400)
	some.links += unused
	for _, name := range []string{"bloom:16", "bloom:32", "bloom:64"} {
		v, positives := parse(t, name), 0.
		for run := range runs {
			table := some.run(v, uint64(run)+4e9)
			for link := int32(crossed); int(link) < some.links; link++ {
				if table.Significant(link, 0.99) {
					positives++
				}
			}
		}
		rate := positives / (runs * unused)
		t.Logf("%s: %.5f", name, rate)
		if rate < 0.001 || rate > 0.02 {
			t.Errorf("%s at 0.99: the share of false positives is %.5f", name, rate)
		}
	}
}

// Links carried whole have no false positives, and every sample counts.
func TestThresholdOfWholeLinks(t *testing.T) {
	table := fixedTraffic(50).run(sampling.Reservoirs, 1)
	for link := range table.Links {
		if seen := table.Links[link].Packets > 0; table.Significant(int32(link), 0.999) != seen {
			t.Errorf("link %d: seen %v, but not significant", link, seen)
		}
	}
}

// With packets of one length the threshold is the thesis's l sqrt(Q) 2.33
// (Taffet 2018, section 5.3), whatever the counts.
func TestThresholdOfOneLength(t *testing.T) {
	some := &traffic{links: 6}
	for range 1000 {
		some.ways = append(some.ways, []crossing{{link: 0}, {link: 1}, {link: 2}, {link: 3}, {link: 4}})
	}
	table := some.run(parse(t, "one-bit"), 9)
	for link := range int32(6) {
		if want := 5 * math.Sqrt(1000) * 2.3263478740408408; math.Abs(table.Threshold(link, 0.99)-want) > 1e-6 {
			t.Errorf("link %d: threshold %g, want %g", link, table.Threshold(link, 0.99), want)
		}
	}
}

// The example of section 5.3: five hops through 8, 24 and 8 choices, that is 1536
// paths over 400 links, the middle ones with a share of 1/192; and this
// project's tapered tree, where 16 up-links lead to the 24 of each, over 3072
// paths and 800 links.
func TestLeastPackets(t *testing.T) {
	hashed := sampling.Variant{Kind: sampling.OneBit, Slots: 1, Counter: 8, Hash: sampling.Field}
	for _, c := range []struct {
		links, middle int
		hashed        float64
	}{{8 + 8*24 + 24*8 + 8, 8 * 24, 5.0e6}, {16 + 16*24 + 16*24 + 16, 16 * 24, 2.0e7}} {
		if c.links != 400 && c.links != 800 {
			t.Errorf("%d links", c.links)
		}
		share := 1 / float64(c.middle)
		s := sampling.LeastPackets(hashed, 5, share, 0.99)
		if math.Abs(s/c.hashed-1) > 0.01 {
			t.Errorf("%d links take %.4g packets, want %.2g", c.links, s, c.hashed)
		}
		if n, threshold := s*share, 5*math.Sqrt(s)*2.3263478740408408; math.Abs(n/threshold-1) > 1e-9 {
			t.Errorf("%g packets cross a link that needs %g", n, threshold)
		}
		if whole := sampling.LeastPackets(sampling.Reservoirs, 5, share,
			0.99); math.Abs(whole-5*float64(c.middle)) > 1e-6 {
			t.Errorf("unhashed, %d links take %g packets", c.links, whole)
		}
	}
}
