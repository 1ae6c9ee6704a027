package experiment

import (
	"fmt"
	"testing"
)

// The window opens and closes with the last rank, however the output comes in pieces.
func TestWindow(t *testing.T) {
	const ranks, steps = 3, 6
	var text []byte
	var ends []int // of the output, where all ranks have ended a step; first the start
	line := func(format string, arguments ...any) { text = fmt.Appendf(text, format+"\n", arguments...) }
	for r := range ranks {
		line("start rank %d 17", r)
	}
	ends = append(ends, len(text))
	for k := range steps {
		for r := range ranks {
			line("step %d rank %d %d", k, (r+k)%ranks, 100*k+r)
			line("mpirun says step 3 rank 1")
		}
		ends = append(ends, len(text)-len("mpirun says step 3 rank 1\n"))
	}
	for _, c := range []struct{ first, last int }{{0, 5}, {2, 3}, {1, 4}} {
		for _, piece := range []int{1, 7, len(text)} {
			w := newWindow(ranks, c.first, c.last)
			for at := 0; at < len(text); at += piece {
				upTo := min(at+piece, len(text))
				w.Write(text[at:upTo])
				if closed(w.begun) != (upTo >= ends[c.first]) || closed(w.ended) != (upTo >= ends[c.last+1]) {
					t.Fatalf("steps %d to %d, after %d bytes of %d: begun %v, ended %v", c.first, c.last, upTo,
						len(text), closed(w.begun), closed(w.ended))
				}
			}
		}
	}
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
