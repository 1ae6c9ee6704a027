// Package input is what every reader of this project shares: the error that
// names file, line and column, and a line scanner that caps what it reads.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Error says where an input is wrong, why, and what to do about it.
type Error struct {
	File   string // name as the user gave it; empty for text given on the command line
	Line   int    // from 1; 0 when the whole input is meant
	Column int    // byte column from 1; 0 when the whole line is meant
	Reason string // lower case, no full stop
	Hint   string // what the user can do; may be empty
	Err    error  // the cause, may be nil
}

// Error prints FILE:LINE:COLUMN: reason, leaving out the parts not known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice carried by err, if any.
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

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
	File    string
	Number  int // of the line in hand, from 1
	scanner *bufio.Scanner
	line    []byte
}

// NewLines starts before the first line of r.
func NewLines(file string, r io.Reader) *Lines {
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
		return &Error{File: l.File, Line: l.Number + 1, Err: err,
			Reason: fmt.Sprintf("line longer than %d bytes", MaxLine),
			Hint:   "is this the right file?"}
	}
	return &Error{File: l.File, Line: l.Number + 1, Reason: err.Error(), Hint: "can the file be read to its end?", Err: err}
}

// Errorf is an Error at the line in hand.
func (l *Lines) Errorf(column int, hint, format string, args ...any) *Error {
	return &Error{File: l.File, Line: l.Number, Column: column, Hint: hint, Reason: fmt.Sprintf(format, args...)}
}
