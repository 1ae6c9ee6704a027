package counters

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"remap/internal/linescan"
)

const queryErrorsHint = "write it anew with: ibqueryerrors --data > FILE"

// ReadErrors adds what ibqueryerrors has printed:
//
//	Errors for 0x2c903006e29b0 "leaf1"
//	   GUID 0x2c903006e29b0 port 1: [PortXmitWait == 127475528 (121.570M)] [PortXmitData == 4242]
//
// with --data the counters of data stand behind those of errors, with --counters
// alone. It lists ports with a counter above its threshold only, and of these only
// such counters: a listed port of an error report without PortXmitWait has not
// waited. "port ALL", the sum over a switch, is passed over. Errors are
// *input.Error with line and column.
func (s *Snapshot) ReadErrors(name string, r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxFileBytes + 1}
	lines := linescan.New(name, limited)
	kind, any := failures, false
	for lines.Next() {
		text := strings.TrimRight(lines.Text(), " \t\r")
		switch trimmed := strings.TrimLeft(text, " \t"); {
		case strings.HasPrefix(trimmed, "Errors for "):
			kind = failures
		case strings.HasPrefix(trimmed, "Data Counters for "):
			kind = data
		case strings.HasPrefix(trimmed, "GUID "):
			any = true
			if err := s.reported(lines, text, kind); err != nil {
				return err
			}
		case trimmed == "" || trimmed[0] == '#' || strings.HasPrefix(trimmed, "Link info:") || spoken(trimmed):
		default:
			return lines.Errorf(len(text)-len(trimmed)+1, queryErrorsHint, "expected Errors for, Data Counters "+
				"for, GUID or Link info:, found %q", clip(trimmed))
		}
	}
	return s.finished(name, lines, limited, any)
}

// reported reads GUID 0x... port N: [NAME == VALUE (ROUNDED)] ...
func (s *Snapshot) reported(lines *linescan.Lines, text string, k kind) error {
	head, body, ok := strings.Cut(text, ":")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || words[2] != "port" {
		return lines.Errorf(1, queryErrorsHint, "expected GUID 0x... port N: and counters in brackets, "+
			"found %q", clip(text))
	}
	guid, err := strconv.ParseUint(strings.TrimPrefix(words[1], "0x"), 16, 64)
	if err != nil || guid == 0 {
		return lines.Errorf(strings.Index(text, words[1])+1, queryErrorsHint, "%q is not a GUID", clip(words[1]))
	}
	number, err := strconv.ParseInt(words[3], 10, 31)
	switch {
	case words[3] == "ALL":
		return nil
	case err != nil || number < 0:
		return lines.Errorf(len(head)-len(words[3])+1, queryErrorsHint, "port %q is not a number", clip(words[3]))
	case number == 0:
		return nil // a switch's own
	}
	p, twice := s.at(portName{guid: guid, number: int32(number)}, k, lines.File, lines.Number)
	if twice {
		return lines.Errorf(1, "one snapshot has every port once: give the two snapshots as two "+
			"files", "%s is reported twice, first on line %d of %s", p, p.line, filepath.Base(p.file))
	}
	for rest := body; ; {
		open := strings.IndexByte(rest, '[')
		if open < 0 {
			break
		}
		column := len(text) - len(rest) + open + 2
		inside, after, closed := strings.Cut(rest[open+1:], "]")
		field, value, split := strings.Cut(inside, " == ")
		value, _, _ = strings.Cut(value, " ")
		number, err := strconv.ParseUint(value, 10, 64)
		if !closed || !split || err != nil {
			return lines.Errorf(column, queryErrorsHint, "expected [NAME == VALUE], found %q", clip(rest[open:]))
		}
		if of := fieldNames[field]; of != nil {
			of(p).set(number, false)
		}
		rest = after
	}
	if k == failures && !p.waited.known {
		p.waited = counter{known: true}
	}
	return nil
}
