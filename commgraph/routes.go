package commgraph

import (
	"bytes"
	"io"
	"slices"

	"remap/internal/linescan"
)

const (
	routesHint    = "a route file has lines such as: Hop 1: [12-0] 12 (0 1 1 0 0 0) -> 8 (0 1 0 0 0 0)"
	maxDimensions = 16 // of coordinates
)

// Coordinates are where ranks sat on the machine that a profile was recorded
// on: the node's place in each dimension of its network, and after them, if the
// profile has it, the core.
type Coordinates struct {
	// Dimensions: numbers a rank.
	Dimensions int
	// Values: length ranks x Dimensions, rank by rank; all -1 for a rank whose place is not known.
	Values []int32
}

// Ranks is the number of ranks, those without a place included.
func (c *Coordinates) Ranks() int {
	if c.Dimensions == 0 {
		return 0
	}
	return len(c.Values) / c.Dimensions
}

// Of is the place of a rank, length Dimensions; nil = not known. The slice is
// shared: do not write.
func (c *Coordinates) Of(rank int32) []int32 {
	d := int32(c.Dimensions)
	if place := c.Values[rank*d : (rank+1)*d]; place[0] >= 0 {
		return place
	}
	return nil
}

// Extents is the least length of each dimension that holds all places, length
// Dimensions: the highest coordinate plus 1.
func (c *Coordinates) Extents() []int {
	extents := make([]int, c.Dimensions)
	for i, v := range c.Values {
		extents[i%c.Dimensions] = max(extents[i%c.Dimensions], int(v)+1)
	}
	return extents
}

// Hop is one step of the recorded way of a message.
type Hop struct {
	// Source, Destination: ranks that exchange the message.
	Source, Destination int32
	// Number: of the step on the way, from 1.
	Number int32
	// From, To: ranks on the nodes that the step leaves and reaches.
	From, To int32
}

// routeReader is the state of ReadRoutes.
type routeReader struct {
	lines   *linescan.Lines
	line    []byte
	at      int // offset of the next byte in line
	hops    []Hop
	index   map[int32]int32 // of a rank's place in places, divided by dimensions
	places  []int32
	place   []int32 // scratch
	dims    int     // 0 = not known yet
	highest int32   // rank, -1 = none
	topLine int
}

// ReadRoutes reads the routes of par-comm-data (Fujiwara et al. 2017): a line
// "Hop 1: [12-0] 12 (0 1 1 0 0 0) -> 8 (0 1 0 0 0 0)" for each step of the way of
// each message, in any order, with the coordinates of the ranks at its ends. On
// Blue Gene/Q these are the five of the torus and the core.
//
// A rank must have one place throughout. Errors are *input.Error of the file
// name with line and column. More than 2^16 ranks and more than 64 times as
// many as lines are an error. O(ranks + lines).
func ReadRoutes(name string, r io.Reader) (*Coordinates, []Hop, error) {
	p := &routeReader{lines: linescan.New(name, r), index: map[int32]int32{}, highest: -1}
	for p.lines.Next() {
		p.line, p.at = p.lines.Bytes(), 0
		if p.skip(); p.at == len(p.line) {
			continue
		}
		if err := p.hop(); err != nil {
			return nil, nil, err
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, nil, err
	}
	if p.highest < 0 {
		return nil, nil, emptyFile(name, routesHint)
	}
	if err := tooManyRanks(name, p.topLine, int64(p.highest)+1, int64(len(p.hops)), 1<<16); err != nil {
		return nil, nil, err
	}
	return p.coordinates(), p.hops, nil
}

// hop reads a line.
func (p *routeReader) hop() error {
	var number, source, destination, from, to int64
	steps := []struct {
		before string // literal text
		what   string
		value  *int64
		place  bool // coordinates follow
	}{
		{"Hop", "number of the hop", &number, false},
		{": [", "source", &source, false},
		{"-", "destination", &destination, false},
		{"]", "rank before the hop", &from, true},
		{"->", "rank after the hop", &to, true},
	}
	for _, s := range steps {
		if err := p.literal(s.before); err != nil {
			return err
		}
		v, err := p.number(s.what, MaxRanks-1)
		if err != nil {
			return err
		}
		*s.value = v
		if s.place {
			if err := p.coordinatesOf(int32(v)); err != nil {
				return err
			}
		}
	}
	if p.skip(); p.at < len(p.line) {
		return p.fail("%q after the hop", shorten(string(p.line[p.at:])))
	}
	if top := int32(max(source, destination, from, to)); top > p.highest {
		p.highest, p.topLine = top, p.lines.Number
	}
	p.hops = append(p.hops, Hop{int32(source), int32(destination), int32(number), int32(from), int32(to)})
	return nil
}

func (p *routeReader) fail(format string, args ...any) error {
	return p.lines.Errorf(p.at+1, routesHint, format, args...)
}

func (p *routeReader) skip() {
	for p.at < len(p.line) && blank(p.line[p.at]) {
		p.at++
	}
}

// literal reads text, blanks before each of its words or none.
func (p *routeReader) literal(text string) error {
	for word := range bytes.FieldsSeq([]byte(text)) {
		p.skip()
		if !bytes.HasPrefix(p.line[p.at:], word) {
			return p.fail("no %s here", word)
		}
		p.at += len(word)
	}
	return nil
}

// number reads digits.
func (p *routeReader) number(what string, most int64) (int64, error) {
	p.skip()
	v, end := scanInteger(p.line, p.at)
	if end == p.at || v > most {
		return 0, p.fail("%s must be a whole number from 0 to %d", what, most)
	}
	p.at = end
	return v, nil
}

// scanInteger reads digits from line[at:] on: the value and where it ends;
// end = at if there are none. Values stop growing beyond MaxTotal.
func scanInteger(line []byte, at int) (value int64, end int) {
	for end = at; end < len(line); end++ {
		c := line[end] - '0'
		if c > 9 {
			break
		}
		if value <= MaxTotal {
			value = value*10 + int64(c)
		}
	}
	return value, end
}

// coordinatesOf reads "(0 1 1 0 0 0)", the place of a rank.
func (p *routeReader) coordinatesOf(rank int32) error {
	if err := p.literal("("); err != nil {
		return err
	}
	start := p.at
	p.place = p.place[:0]
	for p.skip(); p.at < len(p.line) && p.line[p.at] != ')'; p.skip() {
		v, err := p.number("coordinate", MaxRanks)
		if err != nil {
			return err
		}
		if p.place = append(p.place, int32(v)); len(p.place) > maxDimensions {
			return p.fail("more than %d coordinates", maxDimensions)
		}
	}
	if p.dims == 0 {
		p.dims = len(p.place)
	}
	if err := p.literal(")"); err != nil {
		return err
	}
	at := p.at
	p.at = start // errors are those of the place
	if len(p.place) == 0 || len(p.place) != p.dims {
		return p.fail("%d coordinates, must be %d", len(p.place), max(1, p.dims))
	}
	if i, ok := p.index[rank]; !ok {
		p.index[rank] = int32(len(p.places) / p.dims)
		p.places = append(p.places, p.place...)
	} else if before := p.places[int(i)*p.dims : int(i+1)*p.dims]; !slices.Equal(before, p.place) {
		return p.fail("rank %d is at %v here, at %v before", rank, p.place, before)
	}
	p.at = at
	return nil
}

// coordinates spreads the places over the ranks.
func (p *routeReader) coordinates() *Coordinates {
	c := &Coordinates{Dimensions: p.dims, Values: make([]int32, (int(p.highest)+1)*p.dims)}
	for i := range c.Values {
		c.Values[i] = -1
	}
	for rank, i := range p.index { // any order: every rank has its own place to write to
		copy(c.Values[int(rank)*p.dims:], p.places[int(i)*p.dims:int(i+1)*p.dims])
	}
	return c
}
