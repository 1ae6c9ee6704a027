// Package input has the error that every reader and parser of this module returns for an
// input that is wrong: a file, or text from the command line. It names the place, the
// reason and a hint:
//
//	var wrong *input.Error
//	if errors.As(err, &wrong) {
//		fmt.Println(wrong.File, wrong.Line, wrong.Reason, wrong.Hint)
//	}
package input

import (
	"errors"
	"fmt"
	"strings"
)

// Error says where an input is wrong, why, and what the user can do about it.
type Error struct {
	// File is the name as the user gave it; empty for text from the command line.
	File string

	// Line counts from 1; 0 when the whole input is meant.
	Line int

	// Column is the byte column in the line, from 1; 0 when the whole line is meant.
	Column int

	// Reason is in lower case, without a full stop.
	Reason string

	// Hint is what the user can do. It may be empty.
	Hint string

	// Err is the cause. It may be nil.
	Err error
}

// Error prints FILE:LINE:COLUMN: reason, without the parts that are not known.
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

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint is the hint of the first *Error in err's chain; empty where there is none.
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
