package experiment

import (
	"bytes"
	"fmt"
)

// window finds in the output of a job when the steps that count begin and end.
type window struct {
	ranks int
	// first and last are the steps that count; begun is closed when all ranks have ended the step
	// before first, ended when all have ended last.
	first, last  int
	begun, ended chan struct{}

	done map[int]int // ranks that have ended a step; -1 = have started
	line []byte      // the beginning of a line
}

func newWindow(ranks, first, last int) *window {
	return &window{ranks: ranks, first: first, last: last, done: map[int]int{}, begun: make(chan struct{}),
		ended: make(chan struct{})}
}

// longestLine is more than a line of a rank.
const longestLine = 100

// Write takes in output, in pieces of any length.
func (w *window) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		piece, after, whole := bytes.Cut(rest, []byte("\n"))
		if w.line = append(w.line, piece...); len(w.line) > longestLine {
			w.line = w.line[:longestLine]
		}
		if whole {
			w.see(string(w.line))
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(b), nil
}

// see takes in a line.
func (w *window) see(line string) {
	var step, rank int
	var at int64
	if n, _ := fmt.Sscanf(line, "step %d rank %d %d", &step, &rank, &at); n < 3 {
		if n, _ := fmt.Sscanf(line, "start rank %d %d", &rank, &at); n < 2 {
			return
		}
		step = -1
	}
	if w.done[step]++; w.done[step] != w.ranks {
		return
	}
	switch step {
	case w.first - 1:
		close(w.begun)
	case w.last:
		close(w.ended)
	}
}
