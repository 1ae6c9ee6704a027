package commgraph

import (
	"fmt"
	"io"
	"math"

	"remap/input"
)

const parCommHint = "a par-comm-data file has a line a pair of ranks (from 0): " +
	"source destination bytes [hops]"

// ReadParComm reads the message sizes of par-comm-data (Fujiwara et al. 2017,
// "hopbyte" files): a line "source destination bytes [hops]" for each pair of
// ranks (from 0), with blanks between; bytes in digits or as a decimal
// (1.2e+06). Lines of the same pair are summed, lines that start with # are
// comments, a pair without bytes is no entry. Counts of messages are not known.
//
// hops (length entries, nil if no line has any) is how many links the recorded
// machine had between the two ranks, -1 where the line does not say. Errors are
// *input.Error of the file name with line and column. More than 2^20 ranks and
// more than 64 times as many as lines are an error. O(ranks + lines).
func ReadParComm(name string, r io.Reader) (t *Traffic, hops []int32, err error) {
	p := parCommReader{in: newScanner(name, parCommHint, r), highest: -1}
	for p.in.nextText('#') {
		if err := p.line(); err != nil {
			return nil, nil, err
		}
	}
	if err := p.in.failed(); err != nil {
		return nil, nil, err
	}
	if p.highest < 0 {
		return nil, nil, emptyFile(name, parCommHint)
	}
	if err := tooManyRanks(name, p.highestAt, p.highest+1, p.lines, 1<<20); err != nil {
		return nil, nil, err
	}
	t = p.data.traffic(int(p.highest + 1))
	if !p.hopsKnown {
		return t, nil, nil
	}
	hops, err = p.hopsOf(t)
	return t, hops, err
}

// parCommReader is the state of ReadParComm.
type parCommReader struct {
	in        *scanner
	lines     int64 // pairs read
	highest   int64 // rank, -1 = none
	highestAt int   // line that named it
	hopsKnown bool
	data      triples
	recorded  []recordedHops
}

// recordedHops is what a line with bytes says of the way between two ranks.
type recordedHops struct{ from, to, hops, line int32 }

// line reads a pair.
func (p *parCommReader) line() error {
	from, err := p.in.whole("source", 0, MaxRanks-1)
	if err != nil {
		return err
	}
	to, err := p.in.whole("destination", 0, MaxRanks-1)
	if err != nil {
		return err
	}
	bytes, err := p.in.amount("bytes", "")
	if err != nil {
		return err
	}
	if top := max(from, to); top > p.highest {
		p.highest, p.highestAt = top, p.in.number
	}
	p.lines++
	if bytes > 0 {
		if broken := p.data.add(int32(from), int32(to), bytes, math.MaxInt32, p.in); broken != "" {
			return p.in.wordError(totalHint, "%s above the limit", broken)
		}
	}
	if p.in.more() {
		hops, err := p.in.whole("hops", 0, math.MaxInt32)
		if err != nil {
			return err
		}
		if bytes > 0 {
			p.hopsKnown = true
			p.recorded = append(p.recorded, recordedHops{int32(from), int32(to), int32(hops), int32(p.in.number)})
		}
	}
	return p.in.endLine("hops")
}

// hopsOf puts the hops in the order of the entries; lines of the same pair
// must agree.
func (p *parCommReader) hopsOf(t *Traffic) ([]int32, error) {
	hops := make([]int32, len(t.Bytes))
	for i := range hops {
		hops[i] = -1
	}
	for _, r := range p.recorded {
		at := t.Find(r.from, r.to)
		if hops[at] >= 0 && hops[at] != r.hops {
			return nil, &input.Error{File: p.in.file, Line: int(r.line),
				Hint:   "lines of the same pair are summed if they have the same hops",
				Reason: fmt.Sprintf("%d hops from %d to %d, and %d on a line before", r.hops, r.from, r.to, hops[at])}
		}
		hops[at] = r.hops
	}
	return hops, nil
}

// tooManyRanks refuses numbers of ranks that would cost more memory than what
// the file says of them: more than free, and more than 64 times as many as the
// lines that name any. line named the highest.
func tooManyRanks(name string, line int, ranks, lines, free int64) error {
	limit := max(free, 64*lines)
	if ranks <= limit {
		return nil
	}
	return &input.Error{File: name, Line: line,
		Reason: fmt.Sprintf("%d ranks for %d pairs: at most %d are accepted", ranks, lines, limit),
		Hint:   "ranks are numbered from 0 without gaps; renumber them if these are other identifiers"}
}
