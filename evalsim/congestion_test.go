package evalsim_test

import (
	"testing"

	"remap/evalsim"
	"remap/workload"
)

// congested are the congested ports that packets of a busy network meet under
// a definition, which must not change any time.
func congested(t *testing.T, rule, at string, makespan *float64) int64 {
	t.Helper()
	p, err := workload.ParsePattern("uniform:256,rounds=3,bytes=40000")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	if o.Congestion, err = evalsim.ParseCongestion(rule, at); err != nil {
		t.Fatal(err)
	}
	r := run(t, network(t, "tapered"), p, o)
	if *makespan != 0 && r.Makespan != *makespan {
		t.Errorf("%s at %s changes the time: %g and %g", rule, at, *makespan, r.Makespan)
	}
	*makespan = r.Makespan
	return r.Congested
}

// A definition by a threshold finds more or less as the threshold says, at
// every point, and no definition changes what happens.
func TestCongestionThresholds(t *testing.T) {
	var makespan float64
	for _, at := range []string{"queueing", "arrival", "departure"} {
		for _, c := range []struct {
			rule  string
			rises bool // with the threshold
			none  string
		}{{"queue-above", false, ":1048576"}, {"credits-below", true, ":1"},
			{"probabilistic", false, ":1073741824"}, {"wait-above", false, ":1073741824"}} {
			if c.rule == "wait-above" && at != "departure" {
				continue
			}
			before := int64(-1)
			for _, bytes := range []string{":4096", ":8192", ":32768", ":60000"} {
				found := congested(t, c.rule+bytes, at, &makespan)
				if before >= 0 && (c.rises && found < before || !c.rises && found > before) {
					t.Errorf("%s%s at %s: %d congested, %d before", c.rule, bytes, at, found, before)
				}
				before = found
			}
			if few := congested(t, c.rule+c.none, at, &makespan); few > 3 {
				t.Errorf("%s%s at %s: %d congested", c.rule, c.none, at, few)
			}
		}
	}
	// A full queue is congested for sure: every packet finds at least its own byte.
	if all, none := congested(t, "probabilistic:1", "queueing", &makespan),
		congested(t, "queue-above:1", "queueing", &makespan); all != none || all == 0 {
		t.Errorf("probabilistic:1 finds %d, queue-above:1 %d", all, none)
	}
}

// Section 5.10 of the thesis: where congestion lasts, every point of measuring
// and every definition finds it; an idle network has none under any.
func TestCongestionPointsAgree(t *testing.T) {
	top := network(t, "full")
	var sends [][3]int
	for s := 1; s <= 200; s++ {
		sends = append(sends, [3]int{s, 0, 65536})
	}
	for _, rule := range []string{"queue-above-credits", "queue-above:65536", "credits-below:65536",
		"probabilistic:65536", "wait-above:512"} {
		for _, at := range []string{"queueing", "arrival", "departure"} {
			if rule == "wait-above:512" && at != "departure" {
				continue
			}
			o := evalsim.DefaultOptions()
			var err error
			if o.Congestion, err = evalsim.ParseCongestion(rule, at); err != nil {
				t.Fatal(err)
			}
			r := run(t, top, program(top.Hosts(), sends...), o)
			if rule == "credits-below:65536" && at == "departure" {
				continue // a host takes what it gets: all its credits are back before the next packet leaves
			}
			port := r.Links[top.Ejection(0)[0]]
			if f := float64(port.Congested) / float64(port.Packets); f < 0.95 {
				t.Errorf("%s at %s: %g of the packets find the overloaded port congested", rule, at, f)
			}
			if rule == "probabilistic:65536" || rule == "credits-below:65536" {
				continue
			}
			if r := run(t, top, program(top.Hosts(), [3]int{0, 40, 65536}), o); r.Congested != 0 {
				t.Errorf("%s at %s: a lone message is congested %d times", rule, at, r.Congested)
			}
		}
	}
}

func TestParseCongestion(t *testing.T) {
	for _, rule := range []string{"queue-above-credits", "queue-above:1", "credits-below:16384",
		"probabilistic:1073741824"} {
		c, err := evalsim.ParseCongestion(rule, "arrival")
		if err != nil || c.String() != rule || c.At != evalsim.AtArrival {
			t.Errorf("%s: %v, %v", rule, c, err)
		}
	}
	if c, err := evalsim.ParseCongestion("wait-above:512", "departure"); err != nil ||
		c.String() != "wait-above:512" {
		t.Errorf("wait-above:512: %v, %v", c, err)
	}
	for _, bad := range [][2]string{{"", "arrival"}, {"queue-above", "arrival"}, {"queue-above:", "arrival"},
		{"queue-above:0", "arrival"},
		{"queue-above-credits:5", "arrival"}, {"credits-below:x", "arrival"},
		{"probabilistic:99999999999", "arrival"}, {"queue-above:5", "never"},
		{"wait-above", "departure"}, {"wait-above:512", "queueing"}, {"wait-above:512", "arrival"}} {
		if c, err := evalsim.ParseCongestion(bad[0], bad[1]); err == nil {
			t.Errorf("%q is read as %v", bad, c)
		}
	}
}
