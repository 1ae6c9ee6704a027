package counters

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// near tells equality but for whole words and ticks.
func near(a, b, unit float64) bool { return math.Abs(a-b) <= unit }

// What ports carried and how long they stood still, written as their counters,
// is read back.
func TestPerfqueryRoundTrip(t *testing.T) {
	machine := fabricOf(t, smallTree)
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0.1, 3600).Draw(t, "seconds")
		tick := rapid.IntRange(0, 255).Draw(t, "tick")
		n := len(machine.Links)
		before, after := make([]PortCounters, n), make([]PortCounters, n)
		use, stall := make([]float64, n), make([]float64, n)
		perTick := ticks{machine: machine, said: tick, guessed: map[string]int{}}
		for l := range n {
			use[l], stall[l] = rapid.Float64Range(0, 1).Draw(t, "use"), rapid.Float64Range(0, 1).Draw(t, "stall")
			before[l] = PortCounters{rapid.Uint64Max(1<<60).Draw(t, "sent"),
				rapid.Uint64Max(1<<60).Draw(t, "received"), rapid.Uint64Max(1<<50).Draw(t, "waited")}
		}
		for l := range n {
			rate := machine.Links[l].BytesPerSecond
			far := use[machine.Reverse(int32(l))]
			after[l] = before[l]
			after[l].SentWords += uint64(use[l] * rate * seconds / 4)
			after[l].ReceivedWords += uint64(far * rate * seconds / 4)
			after[l].Waited += uint64(stall[l] * rate * seconds / perTick.lostBytes(int32(l), -1))
		}
		links, err := Difference(machine, snapshot(t, printed(t, machine, before)),
			snapshot(t, printed(t, machine, after)), Options{Seconds: seconds, Tick: tick})
		if err != nil {
			t.Fatal(err)
		}
		for l := range n {
			rate := machine.Links[l].BytesPerSecond
			word := 8/(rate*seconds) + 1e-12
			lost := 2*perTick.lostBytes(int32(l), -1)/(rate*seconds) + 1e-12
			if !links.Known[l] || !near(links.Rate[l]/rate, use[l], word) ||
				!near(links.Congested[l], stall[l], lost) {
				t.Fatalf("link %d: use %g stall %g, read %g %g", l, use[l], stall[l], links.Rate[l]/rate,
					links.Congested[l])
			}
		}
		if c := links.Count; c.Measured != n || c.FarEnd+c.Missing+c.Saturated+c.Reset+c.Clamped+c.Strange != 0 {
			t.Fatalf("counted %+v", c)
		}
	})
}

// cut takes the block of one port out of a dump.
func cut(text, header string) string {
	first := strings.Index(text, header)
	rest := text[first:]
	if end := strings.Index(rest[1:], "# Port"); end >= 0 {
		return text[:first] + rest[end+1:]
	}
	return text[:first]
}

// A port that says nothing is named; what its far end received stands in.
func TestMissingPort(t *testing.T) {
	machine := fabricOf(t, smallTree)
	n := len(machine.Links)
	before, after := make([]PortCounters, n), make([]PortCounters, n)
	for l := range n {
		after[l].SentWords = uint64(1000 * (l + 1))
		after[l].ReceivedWords = uint64(1000 * (machine.Reverse(int32(l)) + 1))
	}
	gone := n - 1
	late := cut(printed(t, machine, after), header(machine.Ports[gone].LID, machine.Ports[gone].Number))
	links, err := Difference(machine, snapshot(t, printed(t, machine, before)), snapshot(t, late),
		Options{Seconds: 1, Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	if !links.Known[gone] || links.Rate[gone] != float64(4000*(gone+1)) || links.Count.FarEnd != 1 ||
		links.Count.Missing != 1 {
		t.Errorf("rate %g, counted %+v", links.Rate[gone], links.Count)
	}
	back := machine.Reverse(int32(gone))
	if !links.Known[back] || links.Rate[back] != float64(4000*(back+1)) {
		t.Errorf("the far end's own link has rate %g", links.Rate[back])
	}
	if !strings.Contains(strings.Join(links.Warnings, "\n"), newBuilder(machine).port(gone)) {
		t.Errorf("the port is not named: %q", links.Warnings)
	}
}

func header(lid uint32, number int32) string {
	return "# Port extended counters: " + strings.SplitN((&port{portName: portName{lid: lid,
		number: number}}).String(), "lid", 2)[0] + "Lid" +
		strings.TrimPrefix((&port{portName: portName{lid: lid, number: number}}).String(), "lid") + " "
}

// Counters at their end, or that went back, are not used and named.
func TestUnusableCounters(t *testing.T) {
	machine := fabricOf(t, smallTree)
	p := machine.Ports[0]
	block := func(sent, waited string) string {
		return strings.NewReplacer("LID", strings.TrimPrefix(strings.Fields(header(p.LID, p.Number))[5], ""),
			"SENT", sent, "WAITED", waited).Replace(
			"# Port counters: Lid LID port 1 (CapMask: " +
				"0x1400)\nPortXmitData:....................SENT\nPortXmitWait:....................WAITED\n")
	}
	for _, c := range []struct {
		name, before, after string
		known               bool
		congested           bool
		saturated, reset    int
	}{
		{"fine", block("100", "5"), block("200", "9"), true, true, 0, 0},
		{"sent is full", block("100", "5"), block("4294967295", "9"), false, true, 1, 0},
		{"full before already", block("4294967295", "5"), block("4294967295", "9"), false, true, 1, 0},
		{"waited is full", block("100", "5"), block("200", "4294967295"), true, false, 1, 0},
		{"went back", block("300", "5"), block("200", "9"), false, true, 0, 1},
		{"all went back", block("300", "15"), block("200", "9"), false, false, 0, 1},
	} {
		links, err := Difference(machine, snapshot(t, c.before), snapshot(t, c.after),
			Options{Seconds: 1, Tick: -1})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if links.Known[0] != c.known || links.Congested[0] > 0 != c.congested ||
			links.Count.Saturated != c.saturated || links.Count.Reset != c.reset {
			t.Errorf("%s: known %v, congested %g, %+v", c.name, links.Known[0], links.Congested[0], links.Count)
		}
	}
	wide := strings.Replace(block("4294967295", "1"), "Port counters", "Port extended counters", 1)
	more := strings.Replace(block("4294967299", "1"), "Port counters", "Port extended counters", 1)
	if links, err := Difference(machine, snapshot(t, wide), snapshot(t, more),
		Options{Seconds: 1, Tick: -1}); err != nil || links.Rate[0] != 16 {
		t.Errorf("64 bits: rate %v, error %v", links, err)
	}
}

// More than a link can carry is cut and named.
func TestClamp(t *testing.T) {
	machine := fabricOf(t, smallTree)
	n := len(machine.Links)
	before, after := make([]PortCounters, n), make([]PortCounters, n)
	after[3] = PortCounters{SentWords: 1 << 40, Waited: 1 << 50}
	links, err := Difference(machine, snapshot(t, printed(t, machine, before)),
		snapshot(t, printed(t, machine, after)), Options{Seconds: 1, Tick: -1})
	if err != nil || links.Rate[3] != machine.Links[3].BytesPerSecond || links.Congested[3] != 1 ||
		links.Count.Clamped != 1 {
		t.Errorf("%+v, %v", links, err)
	}
}

// One snapshot tells the share of what ports wanted to send that they could not,
// and with the seconds since its reset what they carried.
func TestOneSnapshot(t *testing.T) {
	machine := fabricOf(t, smallTree)
	ports := make([]PortCounters, len(machine.Links))
	ports[2] = PortCounters{SentWords: 1 << 20, Waited: 1 << 22 / 128} // ticks of 32 bytes on 4 lanes
	links, err := Difference(machine, nil, snapshot(t, printed(t, machine, ports)), Options{Tick: -1})
	if err != nil || links.Count.Measured != 0 || links.Congested[2] != 0.5 ||
		!strings.Contains(links.Warnings[0], "--measured-seconds") {
		t.Errorf("%+v, %v", links, err)
	}
	links, err = Difference(machine, nil, snapshot(t, printed(t, machine, ports)), Options{Tick: -1, Seconds: 2})
	if err != nil || links.Rate[2] != 1<<21 || links.Count.Measured != len(ports) {
		t.Errorf("%+v, %v", links, err)
	}
}

// Both ends of the time are needed, and one port of the network.
func TestDifferenceRefuses(t *testing.T) {
	machine := fabricOf(t, smallTree)
	some := printed(t, machine, make([]PortCounters, len(machine.Links)))
	other := "# Port counters: Lid 777 port 3\nPortXmitData:.....4\n"
	if _, err := Difference(machine, snapshot(t, some), snapshot(t, some), Options{Tick: -1}); err == nil ||
		!strings.Contains(err.Error(), "time between") {
		t.Error(err)
	}
	if _, err := Difference(machine, nil, snapshot(t, other), Options{Tick: -1}); err == nil ||
		!strings.Contains(err.Error(), "none of the ports") {
		t.Error(err)
	}
	if _, err := Difference(machine, nil, NewSnapshot(), Options{Tick: -1}); err == nil {
		t.Error("a snapshot of nothing is no error")
	}
}
