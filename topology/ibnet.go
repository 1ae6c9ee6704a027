package topology

import (
	"io"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// maxFileBytes bounds what a reader takes in.
const maxFileBytes = 1 << 30

// laneGbps is the data rate of one lane by the name of its speed, after the
// coding on the wire (8b/10b up to QDR).
var laneGbps = map[string]float64{
	"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 13.625, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200,
}

const rateHint = "known: widths 1x 2x 4x 8x 12x; speeds SDR DDR QDR FDR10 FDR EDR HDR NDR XDR"

// ReadIBNetDiscover reads an InfiniBand fabric as ibnetdiscover prints it, or
// in the shorter syntax of ibsim (bare names, no rates), or as the list of
// ports of `ibnetdiscover -p`. name is for messages and Topology.Name.
//
// A host's name is its node description up to the first blank; adapters that
// share it are rails of one host. Hosts and switches are in natural order of
// their names. Parallel cables stay separate links. A link may be described
// at one end or at both, which then must agree. Routers, aggregation nodes
// and what has no links are left out, with a line in Topology.Warnings.
// In a file that ibnetdiscover wrote, or that describes any adapter, every
// adapter must be described: one that is only mentioned by its switch means that
// the end of the file, and hosts with it, are lost.
// Latency is 100 ns a link; without any rate in the file 100 Gb/s are assumed.
// Errors are *input.Error with the line.
func ReadIBNetDiscover(name string, r io.Reader) (*Topology, error) {
	limited := &io.LimitedReader{R: r, N: maxFileBytes + 1}
	lines := linescan.New(name, limited)
	reader := ibReader{fabric: newFabric(name), lines: lines, block: -1}
	for lines.Next() {
		if err := reader.line(lines.Text()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, &input.Error{File: name, Reason: "file longer than 1 GiB", Hint: "is this the right file?"}
	}
	if lines.Number == 0 {
		return nil, &input.Error{File: name, Reason: "the file is empty",
			Hint: "write it with: ibnetdiscover > FILE"}
	}
	if len(reader.fabric.devices) == 0 {
		return nil, &input.Error{File: name, Reason: "no Switch or Ca block: not the output of ibnetdiscover",
			Hint: "write it with: ibnetdiscover > FILE"}
	}
	reader.fabric.lastLine = lines.Number
	return reader.fabric.topology()
}

// dumpMark begins a comment at the top of what ibnetdiscover writes.
const dumpMark = "# Topology file:"

// ibReader reads line by line; block is the device whose ports follow.
type ibReader struct {
	fabric *fabric
	lines  *linescan.Lines
	block  int32
	model  uint32 // device id said since the last device
	rest   string // of the line in hand
	text   string // the line in hand
}

func (r *ibReader) errorf(format string, args ...any) error {
	return r.lines.Errorf(len(r.text)-len(r.rest)+1,
		"is the file cut short, or edited by hand? write it with: ibnetdiscover > FILE", format, args...)
}

func (r *ibReader) line(text string) error {
	r.text, r.rest = text, text
	r.blank()
	word := r.rest[:len(r.rest)-len(strings.TrimLeft(r.rest,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
	switch {
	case r.rest == "" || r.rest[0] == '#':
		r.fabric.dump = r.fabric.dump || strings.HasPrefix(r.rest, dumpMark)
		return nil
	case r.rest[0] == '[':
		return r.portLine()
	case word == "Switch":
		return r.header(kindSwitch, word)
	case word == "Ca" || word == "Hca":
		return r.header(kindAdapter, word)
	case word == "Rt" || word == "Router":
		return r.header(kindOther, word)
	case word == "SW" || word == "CA" || word == "RT":
		return r.listLine()
	case word == "devid":
		model, _ := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(r.rest[len(word):]), "=0x"), 16, 32)
		r.model = uint32(model)
		return nil
	case word != "" && strings.HasPrefix(r.rest[len(word):], "=") || word == "Chassis" || word == "DR":
		return nil // another key, such as vendid=0x2c9
	}
	return r.lines.Errorf(len(r.text)-len(r.rest)+1, "is this the output of ibnetdiscover?",
		"expected Switch, Ca, a port in brackets, key=value or #, found %q", clip(r.rest))
}

func (r *ibReader) blank() { r.rest = strings.TrimLeft(r.rest, " \t\r") }

// bracket reads [NUMBER].
func (r *ibReader) bracket() (int32, error) {
	body, after, ok := strings.Cut(strings.TrimPrefix(r.rest, "["), "]")
	if r.rest == "" || r.rest[0] != '[' || !ok {
		return 0, r.errorf("expected a port number in brackets")
	}
	n, err := strconv.ParseInt(body, 10, 31)
	if err != nil || n < 1 {
		return 0, r.errorf("port %q is not a number from 1", clip(body))
	}
	r.rest = after
	return int32(n), nil
}

// extras reads (GUID) and skips [ext N] behind a port; 0 = no GUID.
func (r *ibReader) extras() (guid uint64, err error) {
	for {
		closing := byte(')')
		switch {
		case strings.HasPrefix(r.rest, "("):
		case strings.HasPrefix(r.rest, "[ext"):
			closing = ']'
		default:
			return guid, nil
		}
		end := strings.IndexByte(r.rest, closing)
		if end < 0 {
			return 0, r.errorf("no %q to the end of the line: the line is cut short", closing)
		}
		if closing == ')' {
			guid = parseGUID(r.rest[1:end])
		}
		r.rest = r.rest[end+1:]
	}
}

// quoted reads "ID".
func (r *ibReader) quoted() (string, error) {
	if !strings.HasPrefix(r.rest, `"`) {
		return "", r.errorf("expected a node id in quotes")
	}
	id, after, ok := strings.Cut(r.rest[1:], `"`)
	if !ok || id == "" {
		return "", r.errorf("node id is empty or its quotes are not closed: the line is cut short")
	}
	r.rest = after
	return id, nil
}

// header reads KIND PORTS "ID" # "DESCRIPTION" ...
func (r *ibReader) header(kind nodeKind, word string) error {
	r.rest = r.rest[len(word):]
	r.blank()
	digits := r.rest[:len(r.rest)-len(strings.TrimLeft(r.rest, "0123456789"))]
	ports, err := strconv.ParseInt(digits, 10, 31)
	if err != nil || ports < 1 {
		return r.errorf("expected the number of ports after %s", word)
	}
	r.rest = r.rest[len(digits):]
	r.blank()
	id, err := r.quoted()
	if err != nil {
		return err
	}
	f, line := r.fabric, r.lines.Number
	at := f.device(id, line)
	d := &f.devices[at]
	if d.declared {
		return r.lines.Errorf(len(r.text)-len(r.rest)+1,
			"every device has one block: is this the joined output of several runs?",
			"%s is described twice, first on line %d", f.label(at), d.line)
	}
	said, err := r.comment()
	if err != nil {
		return err
	}
	if said.description == "" {
		said.description = d.description // as its neighbours call it
	}
	d.declared, d.kind, d.ports, d.line, d.description = true, kind, int(ports), line, said.description
	d.model, d.lid = r.model, said.lid
	r.block, r.model = at, 0
	return nil
}

// portLine reads [PORT](GUID) "ID"[PORT](GUID) # "DESCRIPTION" ... RATE
func (r *ibReader) portLine() error {
	if r.block < 0 {
		return r.errorf("a port before any Switch or Ca")
	}
	a, b := port{device: r.block}, port{}
	var err error
	if a.number, err = r.bracket(); err != nil {
		return err
	}
	var here, there identity
	if here.guid, err = r.extras(); err != nil {
		return err
	}
	r.blank()
	id, err := r.quoted()
	if err != nil {
		return err
	}
	if b.number, err = r.bracket(); err != nil {
		return err
	}
	if there.guid, err = r.extras(); err != nil {
		return err
	}
	said, err := r.comment()
	if err != nil {
		return err
	}
	f := r.fabric
	b.device = f.device(id, r.lines.Number)
	if d := &f.devices[b.device]; !d.declared && d.description == "" {
		d.description = said.description
	}
	here.lid, here.lanes, there.lid, there.lanes = said.ownLID, said.lanes, said.lid, said.lanes
	f.identify(a, here)
	f.identify(b, there)
	return f.connect(a, b, said.gbps, r.lines.Number)
}

// remark is what stands behind # on a line; zero where it says nothing.
type remark struct {
	description string
	gbps        float64
	lanes       int32
	ownLID, lid uint32 // before and behind the description: of this port, of what is described
}

// comment reads what follows #: a description in quotes and, behind it, the
// rate as WIDTHxSPEED. All may be missing.
func (r *ibReader) comment() (said remark, err error) {
	r.blank()
	if r.rest == "" {
		return said, nil
	}
	if r.rest[0] != '#' {
		return said, r.errorf("unexpected %q", clip(r.rest))
	}
	first, last := strings.IndexByte(r.rest, '"'), strings.LastIndexByte(r.rest, '"')
	if first >= 0 && first == last {
		return said, r.errorf("the quotes of the node description are not closed: the line is cut short")
	}
	tail := r.rest
	if first >= 0 {
		said.description, tail = r.rest[first+1:last], r.rest[last+1:]
		said.ownLID = lidIn(strings.Fields(r.rest[:first]))
	}
	words := strings.Fields(tail)
	said.lid = lidIn(words)
	for _, word := range words {
		width, speed, ok := strings.Cut(word, "x")
		if !ok || width == "" || strings.Trim(width, "0123456789") != "" {
			continue
		}
		if said.gbps, err = r.rate(width, speed); err != nil || strings.HasPrefix(word, "0x") {
			return remark{}, err
		}
		lanes, _ := strconv.ParseInt(width, 10, 31) // rate knows it
		said.lanes = int32(lanes)
	}
	return said, nil
}

// lidIn is the number behind the word lid; 0 when there is none.
func lidIn(words []string) uint32 {
	for i := 1; i < len(words); i++ {
		if words[i-1] == "lid" {
			lid, _ := strconv.ParseUint(words[i], 10, 32)
			return uint32(lid)
		}
	}
	return 0
}

// rate is lanes times the data rate of one.
func (r *ibReader) rate(width, speed string) (float64, error) {
	lanes := map[string]float64{"1": 1, "2": 2, "4": 4, "8": 8, "12": 12}[width]
	perLane := laneGbps[speed]
	if lanes == 0 || perLane == 0 {
		return 0, r.lines.Errorf(0, rateHint, "link rate %q is not known", clip(width+"x"+speed))
	}
	return lanes * perLane, nil
}

// listLine reads a line of `ibnetdiscover -p`:
//
//	SW 1719 10 0x7cfe9003009ce5b0 4x EDR - CA 134 1 0x7cfe9003003b4bde ( 'DESCRIPTION' - 'DESCRIPTION' )
//
// Lines of ports without a cable have no second part; they only tell that the
// device is there.
func (r *ibReader) listLine() error {
	left, right, linked := strings.Cut(r.rest, " - ")
	if !linked || strings.ContainsRune(left, '\'') {
		_, _, err := r.listEnd(strings.Fields(r.rest), true)
		return err
	}
	ends, names, ok := strings.Cut(right, "( '")
	here, there, split := strings.Cut(names, "' - '")
	there, closed := strings.CutSuffix(strings.TrimSpace(there), "' )")
	if !ok || !split || !closed {
		return r.errorf("expected ( 'DESCRIPTION' - 'DESCRIPTION' ) at the end of the line")
	}
	fields := strings.Fields(left)
	if len(fields) < 6 {
		return r.errorf("expected type, lid, port, guid, width and speed")
	}
	width := strings.TrimSuffix(fields[4], "x")
	gbps, err := r.rate(width, fields[5])
	if err != nil {
		return err
	}
	a, own, err := r.listEnd(fields, true)
	if err != nil {
		return err
	}
	b, far, err := r.listEnd(strings.Fields(ends), false)
	if err != nil {
		return err
	}
	lanes, _ := strconv.ParseInt(width, 10, 31) // rate knows it
	own.lanes, far.lanes = int32(lanes), int32(lanes)
	f := r.fabric
	f.identify(a, own)
	f.identify(b, far)
	f.devices[a.device].description, f.devices[b.device].description = strings.TrimSpace(here),
		strings.TrimSpace(there)
	return f.connect(a, b, gbps, r.lines.Number)
}

// listEnd reads TYPE LID PORT GUID.
func (r *ibReader) listEnd(fields []string, own bool) (port, identity, error) {
	if len(fields) < 4 || !strings.HasPrefix(fields[3], "0x") {
		return port{}, identity{}, r.errorf("expected type, lid, port and guid")
	}
	n, err := strconv.ParseInt(fields[2], 10, 31)
	if err != nil || n < 1 {
		return port{}, identity{}, r.errorf("port %q is not a number from 1", clip(fields[2]))
	}
	kind, ok := map[string]nodeKind{"SW": kindSwitch, "CA": kindAdapter, "RT": kindOther}[fields[0]]
	if !ok {
		return port{}, identity{}, r.errorf("node type %q is not SW, CA or RT", clip(fields[0]))
	}
	f := r.fabric
	at := f.device(fields[3], r.lines.Number)
	d := &f.devices[at]
	if d.kind != kindUnknown && d.kind != kind {
		return port{}, identity{}, r.errorf("%s is of another type on line %d", f.label(at), d.line)
	}
	d.kind, d.declared = kind, d.declared || own
	lid, _ := strconv.ParseUint(fields[1], 10, 32)
	return port{at, int32(n)}, identity{guid: guidOfID(fields[3]), lid: uint32(lid)}, nil
}
