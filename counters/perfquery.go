package counters

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// maxFileBytes bounds what a reader takes in.
const maxFileBytes = 1 << 30

const perfqueryHint = "write it anew with: perfquery -x LID PORT > FILE"

// fieldNames are those of the counters that count, in old and new releases.
var fieldNames = map[string]func(*port) *counter{
	"PortXmitData": func(p *port) *counter { return &p.sent },
	"XmtData":      func(p *port) *counter { return &p.sent },
	"XmtBytes":     func(p *port) *counter { return &p.sent },
	"PortRcvData":  func(p *port) *counter { return &p.received },
	"RcvData":      func(p *port) *counter { return &p.received },
	"RcvBytes":     func(p *port) *counter { return &p.received },
	"PortXmitWait": func(p *port) *counter { return &p.waited },
	"XmtWait":      func(p *port) *counter { return &p.waited },
}

// ReadPerfquery adds what perfquery has printed: blocks of classic (32 bits) or
// extended counters, any number of ports, and the samples control of `perfquery
// -c`, whose Tick says how PortXmitWait counts. Other blocks, and those of all
// ports together (port 255), are passed over. A GUID in the file's name stands in
// for a LID that the dump does not have or the network does not know. A file
// without a byte, as some tools leave it for a dead port, is noted and no error.
// Errors are *input.Error with the line.
func (s *Snapshot) ReadPerfquery(name string, r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxFileBytes + 1}
	lines := linescan.New(name, limited)
	d := dump{snapshot: s, lines: lines, guid: guidOf(filepath.Base(name))}
	for lines.Next() {
		if err := d.line(strings.TrimRight(lines.Text(), " \t\r")); err != nil {
			return err
		}
	}
	return s.finished(name, lines, limited, d.any)
}

// finished ends the reading of a dump: one without a line is that of a dead port,
// one in which no counters were found is of another kind.
func (s *Snapshot) finished(name string, lines *linescan.Lines, limited *io.LimitedReader, any bool) error {
	if err := lines.Err(); err != nil {
		return err
	}
	if limited.N == 0 {
		return &input.Error{File: name, Reason: "file longer than 1 GiB", Hint: "is this the right file?"}
	}
	switch {
	case lines.Number == 0:
		s.empty = append(s.empty, name)
	case !any:
		s.others = append(s.others, name)
	}
	return nil
}

// dump reads line by line.
type dump struct {
	snapshot *Snapshot
	lines    *linescan.Lines
	guid     uint64
	block    *port // whose counters follow; nil = none of ours
	kind     kind
	inside   bool // a block, ours or not
	any      bool // a port has been read
}

func (d *dump) line(text string) error {
	switch {
	case text == "":
		return nil
	case text[0] == '#':
		return d.header(text)
	case spoken(text):
		return nil
	case !d.inside:
		return d.lines.Errorf(1, "is this the output of "+
			"perfquery?", "counters before any line that begins with # Port")
	case d.block == nil:
		return nil
	}
	field, value, ok := strings.Cut(text, ":")
	if !ok || strings.ContainsAny(field, " \t") {
		return d.lines.Errorf(1, perfqueryHint, "expected NAME:....VALUE, found %q", clip(text))
	}
	digits := strings.TrimLeft(value, ".")
	column := len(text) - len(digits) + 1
	number, err := strconv.ParseUint(digits, 0, 64)
	switch of := fieldNames[field]; {
	case of == nil && (field != "Tick" || d.kind != control):
		return nil
	case err != nil:
		return d.lines.Errorf(column, perfqueryHint, "%s %q is not a whole number from 0 to "+
			"2^64-1", field, clip(digits))
	case of == nil && number > 255:
		return d.lines.Errorf(column, perfqueryHint, "Tick %d is not from 0 to 255", number)
	case of == nil:
		d.block.tick = int(number)
	default:
		of(d.block).set(number, d.kind == extended)
	}
	return nil
}

// header reads # Port extended counters: Lid 2052 port 1 (CapMask: ...)
func (d *dump) header(text string) error {
	title, rest, ok := strings.Cut(strings.TrimSpace(text[1:]), ":")
	d.block, d.inside = nil, d.inside || ok
	switch {
	case !ok:
		return nil // a comment
	case title == "Port extended counters":
		d.kind = extended
	case title == "Port counters":
		d.kind = classic
	case title == "PortSamplesControl":
		d.kind = control
	default:
		return nil
	}
	rest, _, _ = strings.Cut(rest, "(")
	words := strings.Fields(rest)
	name := portName{guid: d.guid, number: -1}
	for i := 1; i < len(words); i++ {
		switch number, err := strconv.ParseUint(words[i], 10, 31); {
		case err != nil:
		case words[i-1] == "Lid":
			name.lid = uint32(number)
		case words[i-1] == "port":
			name.number = int32(number)
		}
	}
	column := strings.Index(text, ":") + 2
	if name.number < 0 {
		return d.lines.Errorf(column, perfqueryHint, "no port number in %q", clip(text))
	}
	if name.lid == 0 && name.guid == 0 {
		return d.lines.Errorf(column, "query by LID, or put the GUID into the file's name as in "+
			"perfquery__0x506b4b0300cc02a6.out", "no LID in %q", clip(text))
	}
	d.any = true
	if name.number == 0 || name.number == 255 {
		return nil // a switch's own, all ports together
	}
	var twice bool
	if d.block, twice = d.snapshot.at(name, d.kind, d.lines.File, d.lines.Number); twice {
		return d.lines.Errorf(column, "one snapshot has every port once: give the two snapshots as two files "+
			"or folders",
			"%s is described twice, first on line %d of %s", d.block, d.block.line, filepath.Base(d.block.file))
	}
	return nil
}

// spoken tells whether a line is what a tool says on stderr, such as that a port
// does not answer, which often goes into the same file.
func spoken(line string) bool {
	return strings.HasPrefix(line, "ibwarn: ") || strings.Contains(line, ": iberror: ") ||
		strings.HasPrefix(line, "Query SA failed")
}

// clip keeps quoted text short.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
