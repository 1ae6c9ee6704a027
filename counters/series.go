package counters

import (
	"math"
	"slices"
)

// series is what the rows of one port add up to.
type series struct {
	time                   float64 // of the row before
	rows                   int
	sent, received, waited sum
}

// sum adds up the steps of a counter.
type sum struct {
	last, at float64 // the value before, and when
	known    bool    // there is one
	total    float64
	seconds  float64 // in which it was counted
	back     bool    // it went back at least once
	end      bool    // it stood at the end of 32 bits
}

// step takes in a value.
func (s *sum) step(value, time float64) {
	switch {
	case value == math.MaxUint32:
		s.end, s.known = true, false
		return
	case s.known && value < s.last:
		s.back = true
	case s.known:
		s.total += value - s.last
		s.seconds += time - s.at
	}
	s.last, s.at, s.known = value, time, true
}

// rate is the mean; false when no step could be counted.
func (s *sum) rate() (float64, bool) {
	return s.total / max(s.seconds, math.SmallestNonzeroFloat64), s.seconds > 0
}

// sample reads a row of counters at a time. Rows of one port must come in order.
func (t *table) sample(link int32, at map[string]int) error {
	time, known, err := t.number(t.layout.at, "time", math.MaxFloat64)
	if err != nil {
		return err
	}
	if !known {
		return t.fail(t.layout.at["time"], "seconds since any moment", "the row has no time")
	}
	s := t.series[link]
	if s == nil {
		s = &series{}
		t.series[link] = s
	}
	if s.rows > 0 && time < s.time {
		return t.fail(t.layout.at["time"], "sort the rows by "+
			"time", "the time goes back from %.6f to %.6f", s.time, time)
	}
	s.time = time
	s.rows++
	for _, of := range []struct {
		role  string
		bytes float64
		sum   *sum
	}{{"bytes", 1, &s.sent}, {"words", 4, &s.sent}, {"received-bytes", 1, &s.received},
		{"received-words", 4, &s.received}, {"wait", 1, &s.waited}} {
		value, known, err := t.number(at, of.role, math.MaxFloat64)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if value == math.MaxUint32 {
			of.bytes = 1 // its end is that of the counter, not of the bytes
		}
		of.sum.step(value*of.bytes, time)
	}
	return nil
}

// rates turns series into rates.
func (t *table) rates() {
	var single, back, full []string
	for l := range t.machine.Links {
		s := t.series[int32(l)]
		if s == nil {
			continue
		}
		if s.rows == 1 {
			single = append(single, t.port(l))
			continue
		}
		if rate, known := s.sent.rate(); known {
			t.Rate[l], t.Known[l] = rate, true
		}
		if rate, known := s.received.rate(); known {
			t.far[t.machine.Reverse(int32(l))] = rate
		}
		if rate, known := s.waited.rate(); known && rate > 0 {
			t.Congested[l] = rate * t.ticks.lostBytes(int32(l), -1) / t.machine.Links[l].BytesPerSecond
		}
		sums := []*sum{&s.sent, &s.received, &s.waited}
		if slices.ContainsFunc(sums, func(s *sum) bool { return s.end }) {
			full = append(full, t.port(l))
		}
		if slices.ContainsFunc(sums, func(s *sum) bool { return s.back }) {
			back = append(back, t.port(l))
		}
	}
	t.Count.Saturated, t.Count.Reset = len(full), len(back)
	t.warnNamed(single, "ports of one row, from which no rate follows (%d)", len(single))
	t.warnNamed(full, "ports with a counter at the end of 32 bits; steps there are not used (%d)", len(full))
	t.warnNamed(back, "ports with a counter that went back; those steps are not used (%d)", len(back))
}
