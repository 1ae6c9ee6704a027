// Package linescan reads text files line by line: it caps the length of lines, skips a byte
// order mark, and makes errors that name file and line.
package linescan

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"remap/input"
)

// MaxLine is the longest line a reader accepts, in bytes: a row of a dense
// matrix of 100,000 ranks with 20-digit entries still fits.
const MaxLine = 1 << 22

// mark is the byte order mark that some editors put before UTF-8 text.
const mark = "\xef\xbb\xbf"

// TrimMark is the text of a file's start without a byte order mark.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(mark)) }

// SkipMark reads what r does, without a byte order mark at its start.
func SkipMark(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	if start, _ := buffered.Peek(len(mark)); string(start) == mark {
		buffered.Discard(len(mark)) // what Peek has seen can be discarded
	}
	return buffered
}

// Lines walks an input line by line and knows where it is. A byte order mark
// at the start belongs to no line.
type Lines struct {
	File string
	// Number: of the line in hand, from 1.
	Number  int
	scanner *bufio.Scanner
	line    []byte
}

// New starts before the first line of r.
func New(file string, r io.Reader) *Lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), MaxLine)
	return &Lines{File: file, scanner: s}
}

// Next advances; false at the end or on a read error (see Err).
func (l *Lines) Next() bool {
	if !l.scanner.Scan() {
		return false
	}
	l.line = l.scanner.Bytes()
	if l.Number == 0 {
		l.line = TrimMark(l.line)
	}
	l.Number++
	return true
}

// Bytes is the line in hand, valid until Next.
func (l *Lines) Bytes() []byte { return l.line }

// Text is the line in hand.
func (l *Lines) Text() string { return string(l.line) }

// Err is the read error that ended the walk, with the line it happened on.
func (l *Lines) Err() error {
	err := l.scanner.Err()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return &input.Error{File: l.File, Line: l.Number + 1, Err: err,
			Reason: fmt.Sprintf("line longer than %d bytes", MaxLine),
			Hint:   "is this the right file?"}
	}
	return &input.Error{File: l.File, Line: l.Number + 1, Reason: err.Error(), Err: err,
		Hint: "can the file be read to its end?"}
}

// Errorf is an *input.Error at the line in hand.
func (l *Lines) Errorf(column int, hint, format string, args ...any) *input.Error {
	return &input.Error{File: l.File, Line: l.Number, Column: column, Hint: hint,
		Reason: fmt.Sprintf(format, args...)}
}

// Whole reads a decimal number without sign that fits 31 bits: a rank, a slot or a number of them.
func Whole(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int64(n), err
}
