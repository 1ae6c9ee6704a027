package sampling_test

import (
	"math"
	"testing"

	"remap/internal/testkit/tier"
	"remap/sampling"
)

// steady is packets of one sender every `gap` ns, from `from` until `end`, over
// the links 0..4 or every other time 0, 5, 6, 7, 4.
func steady(t *testing.T, v sampling.Variant, seed uint64, from, end, gap, slice int64) []sampling.Part {
	t.Helper()
	var parts []sampling.Part
	all := []sampling.Range{{First: 0, Count: 9}}
	random := sampling.NewRandom(seed)
	device := sampling.NewSwitch(v, 9, &random)
	stream, err := sampling.NewStream(v, 9, func(_, _ int32) []sampling.Range { return all }, 1, slice, 0,
		func(s int64, table *sampling.Sparse) {
			parts = append(parts, sampling.Part{Key: sampling.Key{Slice: s}, Samples: table})
		})
	if err != nil {
		t.Fatal(err)
	}
	var p sampling.Packet
	for now, i := from, 0; now < end; now, i = now+gap, i+1 {
		p.Reset(v)
		p.ID = random.Uint32()
		for hop := range int32(5) {
			if i%2 > 0 && hop > 0 && hop < 4 {
				hop += 4
			}
			device.Cross(&p.Header, p.ID, hop, false)
		}
		stream.Receive(now, &p)
	}
	stream.Flush()
	return parts
}

// A link of 100 Gb/s that is full: 4096 bytes every 327.68 ns, rounded to 328, in
// eight slices, of which the first begins and the last ends with the packets.
// Links 1 to 3 have half of it. The mean's interval covers 95 %, the peak's more.
// Checked with four standard errors over the runs, besides 93 to 97 %.
func TestUseOfKnownRates(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	const gap = 328
	for _, c := range []struct {
		name  string
		link  int32
		slice int64
		runs  int
	}{{"full", 0, 30e3, 2000}, {"full", 2, 30e3, 2000}, {"one-reservoir," +
		"hash=whole", 2, 30e3, 2000}, {"one-bit", 0, 300e3, 200}} {
		v, runs := parse(t, c.name), float64(c.runs)
		rate := 4096 / (gap * 1e-9)
		if c.link == 2 {
			rate /= 2
		}
		mean, peak, bias := 0., 0., 0.
		for run := range uint64(c.runs) {
			use, ok, err := sampling.UseOf(steady(t, v, run, 4*c.slice, 12*c.slice, gap, c.slice), c.link, 4096,
				float64(c.slice)*1e-9)
			if err != nil || !ok {
				t.Fatalf("%s: link %d has no packets: %v", c.name, c.link, err)
			}
			if use.PeakSlice < use.First || use.PeakSlice > use.Last || use.First < 4 || use.Last > 11 {
				t.Fatalf("use %+v", use)
			}
			mean += covers(use.Mean, rate) / runs
			peak += covers(use.Peak, rate) / runs
			bias += (use.Mean.Value/rate - 1) / runs
		}
		t.Logf("%s, link %d: mean covered %.3f, peak %.3f, bias %.4f", c.name, c.link, mean, peak, bias)
		error4 := 4 * math.Sqrt(0.95*0.05/runs)
		if mean < 0.95-max(0.02, error4) || mean > 0.95+max(0.02, error4) {
			t.Errorf("%s, link %d: the mean is covered in %.3f of runs", c.name, c.link, mean)
		}
		if peak < 0.95-error4 {
			t.Errorf("%s, link %d: the peak is covered in %.3f of runs", c.name, c.link, peak)
		}
	}
}

// A link that is full in one slice of ten and used to a fifth before and after:
// the peak is found, where it is.
func TestUseOfPeak(t *testing.T) {
	const slice, runs = 100 * 1000, 500
	covered := 0.
	for run := range uint64(runs) {
		var parts []sampling.Part
		for s := range int64(10) {
			gap := int64(1640)
			if s == 6 {
				gap = 328
			}
			parts = append(parts, steady(t, sampling.Reservoirs, run*10+uint64(s), s*slice, (s+1)*slice, gap,
				slice)...)
		}
		use, ok, err := sampling.UseOf(parts, 0, 4096, slice*1e-9)
		if err != nil || !ok || use.PeakSlice != 6 || use.First != 0 || use.Last != 9 {
			t.Fatalf("use %+v: %v", use, err)
		}
		covered += covers(use.Peak, 305*4096/(slice*1e-9)) / runs
	}
	if covered < 0.95 {
		t.Errorf("the peak is covered in %.3f of runs", covered)
	}
}

// Tables give the rate of packets over the time they took; whole links that all
// packets cross with one hop are known exactly.
func TestBandwidthOfTable(t *testing.T) {
	one := &traffic{links: 1, ways: make([][]crossing, 1000)}
	for i := range one.ways {
		one.ways[i] = []crossing{{link: 0}}
	}
	table := one.run(sampling.Reservoirs, 1)
	want := sampling.Estimate{Value: 2e9, Low: 2e9, High: 2e9}
	if got := table.Bandwidth(0, 2000, 1e-3); got != want {
		t.Errorf("%+v", got)
	}
	if got := table.Sparse().Bandwidth(0, 2000, 1e-3); got != want {
		t.Errorf("%+v", got)
	}
}

func TestUseOfNothing(t *testing.T) {
	empty := sampling.NewTable(sampling.Reservoirs, 2).Sparse()
	if use, ok, err := sampling.UseOf([]sampling.Part{{Samples: empty}}, 1, 1, 1); ok || err != nil {
		t.Errorf("use of a link without packets: %+v %v", use, err)
	}
	if _, _, err := sampling.UseOf([]sampling.Part{{Samples: empty}, {Samples: empty}}, 1, 1, 1); err == nil {
		t.Error("one slice twice")
	}
}
