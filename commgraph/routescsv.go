package commgraph

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"remap/internal/linescan"
)

const (
	coordinatesHint = "a file of coordinates is CSV with the header rank,x,y,z (as many as there are), " +
		"or a route file of par-comm-data"
	// Places that are no small whole numbers are counted in steps of which the
	// longest side has so many.
	coordinateSteps = 1 << 24
	maxCoordinate   = 1e15 // whole numbers up to it are exact in a float64, and differences stay finite
)

// OpenCoordinates reads a file of coordinates, see ReadCoordinates. Errors are *input.Error.
func OpenCoordinates(path string) (*Coordinates, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadCoordinates(path, f)
}

// ReadCoordinates reads where ranks lie from either kind of file: one whose
// first word is Hop holds routes (ReadRoutes), any other is CSV
// (ReadCoordinatesCSV). Errors are *input.Error of the file name.
func ReadCoordinates(name string, r io.Reader) (*Coordinates, error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	start, err := peekHead(name, buffered)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(start.text), []byte("Hop")) {
		c, _, err := ReadRoutes(name, buffered)
		return c, err
	}
	return ReadCoordinatesCSV(name, buffered)
}

// coordinatesReader is the state of ReadCoordinatesCSV.
type coordinatesReader struct {
	lines   *linescan.Lines
	dims    int // 0 = not known yet
	ranks   []int32
	values  []float64 // length ranks x dims, NaN where the place is empty
	seen    map[int32]bool
	highest int64 // rank, -1 = none
	topLine int
	count   int64
}

// ReadCoordinatesCSV reads a line "rank,x,y,z" for each rank (from 0), with as
// many coordinates as there are dimensions, under a header whose first column
// is rank. Without header the columns are the same. Lines that start with # are
// comments. A rank without a line, or with empty coordinates, has no place.
//
// Coordinates may be any decimal numbers. Whole ones from 0 to 2^30 are taken
// as they are. If there is any other, all are shifted and multiplied by one
// number, so that the least is 0 in every dimension, the longest side 2^24,
// and all proportions are kept within rounding.
//
// Errors are *input.Error with line and column; more than 2^20 ranks and more
// than 64 times as many as lines are an error. O(ranks + lines).
func ReadCoordinatesCSV(name string, r io.Reader) (*Coordinates, error) {
	p := &coordinatesReader{lines: linescan.New(name, r), seen: map[int32]bool{}, highest: -1}
	for p.lines.Next() {
		text := bytes.TrimSpace(p.lines.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if err := p.line(p.lines.Text()); err != nil {
			return nil, err
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, err
	}
	if p.dims == 0 {
		return nil, emptyFile(name, coordinatesHint)
	}
	if err := tooManyRanks(name, p.topLine, p.highest+1, p.count, 1<<20); err != nil {
		return nil, err
	}
	return p.coordinates(), nil
}

// line reads the header or a rank.
func (p *coordinatesReader) line(line string) error {
	fields := strings.Split(line, ",")
	if p.dims == 0 {
		if len(fields) < 2 || len(fields) > maxDimensions+1 {
			return p.lines.Errorf(0, coordinatesHint, "%d columns: must be the rank and 1 to %d coordinates",
				len(fields), maxDimensions)
		}
		p.dims = len(fields) - 1
		if strings.EqualFold(strings.Trim(fields[0], " \t\""), "rank") {
			return nil
		}
	}
	if len(fields) != p.dims+1 {
		return p.lines.Errorf(0, coordinatesHint, "%d columns, the first line has %d", len(fields), p.dims+1)
	}
	rank, err := strconv.ParseInt(strings.TrimSpace(fields[0]), 10, 64)
	switch {
	case err != nil || rank < 0 || rank >= MaxRanks:
		return p.lines.Errorf(1, coordinatesHint, "rank %q must be a whole number from 0 to %d",
			shorten(strings.TrimSpace(fields[0])), MaxRanks-1)
	case p.seen[int32(rank)]:
		return p.lines.Errorf(1, "every rank has one place", "rank %d stands twice", rank)
	}
	p.seen[int32(rank)] = true
	p.count++
	if rank > p.highest {
		p.highest, p.topLine = rank, p.lines.Number
	}
	return p.place(int32(rank), fields)
}

// place reads the coordinates of a rank, all of them or none.
func (p *coordinatesReader) place(rank int32, fields []string) error {
	column, empty := len(fields[0])+2, 0
	for _, field := range fields[1:] {
		text := strings.TrimSpace(field)
		value := math.NaN()
		if text == "" {
			empty++
		} else {
			var err error
			if value, err = parseCoordinate(text); err != nil {
				return p.lines.Errorf(column+strings.Index(field, text), coordinatesHint, "%v", err)
			}
		}
		p.values = append(p.values, value)
		column += len(field) + 1
	}
	if empty > 0 && empty < p.dims {
		return p.lines.Errorf(0, "a rank without a place has no coordinates at all",
			"%d of %d coordinates are empty", empty, p.dims)
	}
	p.ranks = append(p.ranks, rank)
	return nil
}

// parseCoordinate reads a decimal number.
func parseCoordinate(text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	// Keeps out what ParseFloat reads beyond decimals: 0x1p4, 1_000, Inf.
	if strings.Trim(text, "0123456789+-.eE") != "" || err != nil || math.Abs(value) > maxCoordinate {
		return 0, fmt.Errorf("coordinate %q must be a decimal number of at most %g", shorten(text),
			float64(maxCoordinate))
	}
	return value, nil
}

// coordinates spreads the places over the ranks.
func (p *coordinatesReader) coordinates() *Coordinates {
	c := &Coordinates{Dimensions: p.dims, Values: slices.Repeat([]int32{-1}, int(p.highest+1)*p.dims)}
	low, factor := make([]float64, p.dims), 1.0
	notPlace := func(x float64) bool { return x < 0 || x > MaxRanks || x != math.Trunc(x) && x == x }
	if slices.ContainsFunc(p.values, notPlace) {
		low, factor = p.frame()
	}
	for i, rank := range p.ranks {
		for k := range p.dims {
			if x := p.values[i*p.dims+k]; x == x {
				c.Values[int(rank)*p.dims+k] = int32(math.Round((x - low[k]) * factor))
			}
		}
	}
	return c
}

// frame is the least coordinate of every dimension, and the steps a unit that
// give the longest side coordinateSteps.
func (p *coordinatesReader) frame() (low []float64, factor float64) {
	low = slices.Repeat([]float64{math.Inf(1)}, p.dims)
	high := slices.Repeat([]float64{math.Inf(-1)}, p.dims)
	for i, x := range p.values {
		if k := i % p.dims; x == x {
			low[k], high[k] = min(low[k], x), max(high[k], x)
		}
	}
	side := 0.0
	for k := range low {
		side = max(side, high[k]-low[k])
	}
	if factor = coordinateSteps / side; math.IsInf(factor, 0) {
		factor = 1 // all in one place, or closer than can be told
	}
	return low, factor
}
