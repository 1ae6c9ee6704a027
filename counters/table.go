package counters

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"remap/internal/input"
	"remap/topology"
)

const tableHint = "a table has columns from,port,to,seconds,bytes,congested_fraction, or counters with a time; --measured-columns ROLE=COLUMN names others"

// ReadTable reads a CSV whose header says what its columns hold (Roles): the
// neutral from,port,to,seconds,bytes,congested_fraction with a row for each link,
// the links file of simulate, or what LDMS stores, counters of a port at many
// times, of which the mean between first and last row is taken; where a counter
// goes back, as after a reset, that step is left out. Empty fields are not known.
// Rows of ports that the network does not have are counted and passed over.
// Errors are *input.Error with line and column.
func ReadTable(machine *topology.Topology, name string, r io.Reader, o Options) (*Links, error) {
	limited := &io.LimitedReader{R: input.SkipMark(r), N: maxFileBytes + 1}
	rows := csv.NewReader(limited)
	rows.FieldsPerRecord, rows.ReuseRecord, rows.TrimLeadingSpace = -1, true, true
	t := &table{builder: newBuilder(machine), index: newIndex(machine), options: o, name: name, rows: rows,
		seen: map[int32]int{}, series: map[int32]*series{}, ticks: ticks{machine: machine, said: o.Tick, guessed: map[string]int{}}}
	if err := t.header(); err != nil {
		return nil, err
	}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t.broken(err)
		}
		if err := t.row(record); err != nil {
			return nil, err
		}
	}
	if limited.N == 0 {
		return nil, &input.Error{File: name, Reason: "file longer than 1 GiB", Hint: "cut it to the time of the run"}
	}
	return t.end()
}

// table is one in hand.
type table struct {
	*builder
	index   *index
	options Options
	name    string
	rows    *csv.Reader
	layout  *layout
	record  []string
	ticks   ticks
	seen    map[int32]int     // line of every link's row
	series  map[int32]*series // of every link's port
	strange []string
	several []string // places that may mean several links
}

func (t *table) broken(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return &input.Error{File: t.name, Line: wrong.Line, Column: wrong.Column, Reason: "not CSV: " + wrong.Err.Error(), Hint: "names with commas or quotes stand in quotes", Err: err}
	}
	return &input.Error{File: t.name, Reason: err.Error(), Hint: "can the file be read to its end?", Err: err}
}

// fail is an error at a column of the row in hand; -1 = the whole line.
func (t *table) fail(column int, hint, format string, args ...any) error {
	e := &input.Error{File: t.name, Hint: hint, Reason: fmt.Sprintf(format, args...)}
	if column >= 0 && column < len(t.record) {
		e.Line, e.Column = t.rows.FieldPos(column)
	} else {
		e.Line, _ = t.rows.FieldPos(0)
	}
	return e
}

func (t *table) header() error {
	record, err := t.rows.Read()
	if errors.Is(err, io.EOF) {
		return &input.Error{File: t.name, Reason: "the file is empty", Hint: tableHint}
	}
	if err != nil {
		return t.broken(err)
	}
	t.record = record
	var missing string
	if t.layout, missing = readHeader(record, t.options.Columns); missing != "" {
		return t.fail(-1, "the header has: "+clip(strings.Join(record, ",")), "--measured-columns: no column %q", missing)
	}
	l := t.layout
	switch {
	case !l.has("from"):
		return t.fail(-1, tableHint, "no column says whose port a row is of")
	case !l.tells():
		return t.fail(-1, tableHint, "no column says what ports sent or how they were congested")
	case l.has("time") || l.has("busy") || l.has("seconds") || t.options.Seconds > 0:
		return nil
	case l.has("congested") && !l.has("bytes") && !l.has("words"):
		return nil
	}
	return t.fail(-1, "a column seconds, or --measured-seconds N", "how long the table was measured is not known")
}

// number reads a field of a role; known is false where it is empty or not there.
func (t *table) number(at map[string]int, role string, most float64) (value float64, known bool, err error) {
	c, has := at[role]
	if !has {
		return 0, false, nil
	}
	text := strings.TrimSpace(t.record[c])
	if text == "" {
		return 0, false, nil
	}
	value, err = strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0) || math.IsInf(value, 0) {
		return 0, false, t.fail(c, "empty = not known", "%s %q is not a number from 0", role, clip(text))
	}
	if value > most {
		return 0, false, t.fail(c, "shares of time are from 0 to 1", "%s %q is above %g", role, clip(text), most)
	}
	return value, true, nil
}

func (t *table) row(record []string) error {
	t.record = record
	if len(record) != t.layout.columns {
		return t.fail(-1, "is the line cut short?", "%d fields under a header of %d", len(record), t.layout.columns)
	}
	from := place{from: strings.TrimSpace(record[t.layout.at["from"]]), number: -1}
	if c, has := t.layout.at["to"]; has {
		from.to = strings.TrimSpace(record[c])
	}
	if c, has := t.layout.at["device"]; has {
		from.device = strings.TrimSpace(record[c])
	}
	if c, has := t.layout.at["port"]; has && strings.TrimSpace(record[c]) != "" {
		number, err := strconv.ParseInt(strings.TrimSpace(record[c]), 10, 31)
		if err != nil || number < 0 {
			return t.fail(c, "ports have numbers", "port %q is not a number from 0", clip(record[c]))
		}
		from.number = int32(number)
	}
	if len(t.layout.ports) == 0 {
		return t.portRow(from, t.layout.at)
	}
	for i := range t.layout.ports {
		p := &t.layout.ports[i]
		from.device, from.number = p.device, p.number
		if err := t.portRow(from, p.at); err != nil {
			return err
		}
	}
	return nil
}

// portRow takes in what a row says of one port.
func (t *table) portRow(from place, at map[string]int) error {
	links := t.index.links(from)
	line, _ := t.rows.FieldPos(0)
	where := fmt.Sprintf("%s (line %d)", from.String(), line)
	if len(links) == 0 {
		t.strange = append(t.strange, where)
		return nil
	}
	if len(links) > 1 {
		t.several = append(t.several, where)
		return nil
	}
	if t.layout.has("time") {
		return t.sample(links[0], at)
	}
	if first, twice := t.seen[links[0]]; twice {
		return t.fail(-1, "one row for each link: a links file of slices, phases or tags has several; write it without", "%s stands on line %d already", from.String(), first)
	}
	t.seen[links[0]] = line
	return t.amounts(links[0], at)
}

func (p place) String() string {
	text := p.from
	if p.device != "" {
		text += " " + p.device
	}
	if p.number >= 0 {
		text += fmt.Sprintf(" port %d", p.number)
	}
	if p.to != "" {
		text += " to " + p.to
	}
	return text
}

// amounts reads a row that says what happened in its seconds.
func (t *table) amounts(link int32, at map[string]int) error {
	seconds, timed, err := t.number(at, "seconds", math.MaxFloat64)
	if err != nil {
		return err
	}
	if !timed {
		seconds = t.options.Seconds
	} else if seconds == 0 {
		return t.fail(at["seconds"], "the length of the measurement", "seconds is 0")
	}
	rate := t.machine.Links[link].BytesPerSecond
	busy, known, err := t.number(at, "busy", 1)
	if err != nil {
		return err
	}
	if known {
		t.Rate[link], t.Known[link] = busy*rate, true
	}
	for _, of := range []struct {
		role  string
		bytes float64
		far   bool
	}{{"bytes", 1, false}, {"words", 4, false}, {"received-bytes", 1, true}, {"received-words", 4, true}} {
		amount, known, err := t.number(at, of.role, math.MaxFloat64)
		switch {
		case err != nil:
			return err
		case !known || seconds <= 0:
		case of.far:
			t.far[t.machine.Reverse(link)] = amount * of.bytes / seconds
		case !t.Known[link]:
			t.Rate[link], t.Known[link] = amount*of.bytes/seconds, true
		}
	}
	waited, waits, err := t.number(at, "wait", math.MaxFloat64)
	if err != nil {
		return err
	}
	congested, told, err := t.number(at, "congested", 1)
	if err != nil {
		return err
	}
	switch {
	case told:
		t.Congested[link] = congested
	case waits && waited > 0 && seconds > 0:
		t.Congested[link] = waited * t.ticks.lostBytes(link, -1) / (seconds * rate)
	}
	return nil
}

// end makes rates of series and reports.
func (t *table) end() (*Links, error) {
	if len(t.seen) == 0 && len(t.series) == 0 {
		if len(t.strange)+len(t.several) == 0 {
			return nil, &input.Error{File: t.name, Reason: "the table has no rows", Hint: tableHint}
		}
		first := append(t.strange, t.several...)[0]
		return nil, &input.Error{File: t.name, Reason: "no row is of a port of the network " + t.machine.Name + ": first " + first, Hint: "names are those of hosts and switches in the network: are the table and --topology of one machine?"}
	}
	t.rates()
	for l := range t.Known {
		if _, row := t.seen[int32(l)]; !row && t.series[int32(l)] == nil && !t.Known[l] && t.far[l] < 0 {
			t.Count.Missing++
		}
	}
	t.Count.Strange = len(t.strange)
	t.warnNamed(t.strange, "rows of ports that the network does not have (%d)", len(t.strange))
	t.warnNamed(t.several, "rows that may mean several links, passed over (%d)", len(t.several))
	if t.Count.Missing > 0 {
		t.warn("links without a row: %d", t.Count.Missing)
	}
	t.ticks.warn(t.builder)
	return t.finish(), nil
}
