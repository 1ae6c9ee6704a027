package sampling

import (
	"fmt"
	"math"
)

// Stream is a receiver that stores and resets its counts again and again (Taffet
// 2018, section 3.2): one sparse table for every slice of time. It keeps full
// tables only of the slices that may still get packets.
type Stream struct {
	// Late: packets that came later than tolerated and were counted in the current slice.
	Late int64

	variant           Variant
	links             int
	receiver          *Receiver
	length, tolerance int64
	emit              func(slice int64, s *Sparse)
	open              []openSlice // ring, slice s at s modulo its length
	started           bool
	newest            int64 // latest arrival
}

type openSlice struct {
	slice int64
	table *Table
	used  bool
}

// NewStream makes slices of `length` units of time, slice s from s x length on.
// Packets up to `tolerance` units older than the latest arrival still go to their
// own slice. A slice is complete, and emitted, when a packet arrives that is later
// than its end and the tolerance; slices without packets are not emitted. Memory
// is 40 bytes a link for every slice that the tolerance keeps open and one more,
// at most 1024 in all. The other parameters are those of NewReceiver.
func NewStream(v Variant, links int, paths Paths, flows int, length, tolerance int64,
	emit func(slice int64, s *Sparse)) (*Stream, error) {
	if length < 1 || tolerance < 0 {
		return nil, fmt.Errorf("slices of %d units with a tolerance of %d: must be at least 1 and 0", length,
			tolerance)
	}
	if tolerance/length > maxOpen-2 {
		return nil, fmt.Errorf("a tolerance of %d keeps over %d slices of %d open", tolerance, maxOpen, length)
	}
	s := &Stream{variant: v, links: links, receiver: NewReceiver(v, links, paths, flows), length: length,
		tolerance: tolerance, emit: emit}
	s.open = make([]openSlice, tolerance/length+2)
	return s, nil
}

// Receive counts a packet in the slice of its arrival. The stream may emit
// slices first.
func (s *Stream) Receive(arrival int64, p *Packet) {
	if !s.started || arrival > s.newest {
		before := s.oldest()
		s.started, s.newest = true, arrival
		if after := s.oldest(); after > before {
			s.close(after)
		}
	}
	slice := s.slice(arrival)
	if slice < s.oldest() {
		slice = s.slice(s.newest)
		s.Late++
	}
	at := &s.open[modulo(slice, int64(len(s.open)))]
	if at.table == nil {
		at.table = NewTable(s.variant, s.links)
	}
	at.slice, at.used = slice, true
	s.receiver.Receive(at.table, p)
}

// Flush emits all slices that are open. The stream can go on: slices emitted
// before may then be emitted again, with what came since.
func (s *Stream) Flush() { s.close(math.MaxInt64) }

// slice is the slice of an arrival.
func (s *Stream) slice(arrival int64) int64 {
	q := arrival / s.length
	if arrival%s.length < 0 {
		q--
	}
	return q
}

// oldest is the oldest slice that may get packets.
func (s *Stream) oldest() int64 {
	return s.slice(max(s.newest, math.MinInt64+s.tolerance) - s.tolerance)
}

// close emits the open slices before one.
func (s *Stream) close(before int64) {
	flushed := false
	for {
		var first *openSlice
		for i := range s.open {
			if o := &s.open[i]; o.used && o.slice < before && (first == nil || o.slice < first.slice) {
				first = o
			}
		}
		if first == nil {
			return
		}
		if !flushed {
			s.receiver.Flush()
			flushed = true
		}
		s.emit(first.slice, first.table.Sparse())
		first.table.Reset()
		first.used = false
	}
}

// modulo is in 0..n-1 for negative numbers, too.
func modulo(x, n int64) int64 { return ((x % n) + n) % n }
