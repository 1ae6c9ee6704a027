package counters

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"remap/topology"
)

const tableHint = "a table has columns from,port,to,seconds,bytes,congested_fraction, or counters with a " +
	"time; --measured-columns ROLE=COLUMN names others"

// ReadTable reads a CSV whose header says what its columns hold (Roles): the
// neutral from,port,to,seconds,bytes,congested_fraction with a row for each link,
// the links file of simulate, or what LDMS stores, counters of a port at many
// times, of which the mean between first and last row is taken; where a counter
// goes back, as after a reset, that step is left out. Empty fields are not known.
// Rows of ports that the network does not have are counted and passed over.
// Errors are *input.Error with line and column.
func ReadTable(machine *topology.Topology, name string, r io.Reader, o Options) (*Links, error) {
	t := newTable(machine, name, r, o)
	if err := t.header(); err != nil {
		return nil, err
	}
	if err := t.each(t.row); err != nil {
		return nil, err
	}
	return t.end()
}

func (t *table) header() error {
	record, err := t.firstRow(tableHint)
	if err != nil {
		return err
	}
	var missing string
	if t.layout, missing = readHeader(record, t.options.Columns); missing != "" {
		return t.fail(-1, "the header has: "+clip(strings.Join(record, ",")), "--measured-columns: no "+
			"column %q", missing)
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
	return t.fail(-1, "a column seconds, or "+
		"--measured-seconds N", "how long the table was measured is not known")
}

// field is the text of a role, "" where it is empty or not there, and its column.
func (t *table) field(at map[string]int, role string) (text string, column int) {
	c, has := at[role]
	if !has {
		return "", -1
	}
	return strings.TrimSpace(t.record[c]), c
}

// number reads a field of a role; known is false where it is empty or not there.
func (t *table) number(at map[string]int, role string, most float64) (value float64, known bool, err error) {
	text, c := t.field(at, role)
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
	from, err := t.place(record)
	if err != nil {
		return err
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
	link, known := t.linkOf(from)
	if !known {
		return nil
	}
	if t.layout.has("time") {
		return t.sample(link, at)
	}
	if err := t.once(from, link); err != nil {
		return err
	}
	return t.amounts(link, at)
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
		return nil, t.noRows(tableHint)
	}
	t.rates()
	for l := range t.Known {
		if _, row := t.seen[int32(l)]; !row && t.series[int32(l)] == nil && !t.Known[l] && t.far[l] < 0 {
			t.Count.Missing++
		}
	}
	t.Count.Strange = len(t.strange)
	t.warnOfRows()
	if t.Count.Missing > 0 {
		t.warn("links without a row: %d", t.Count.Missing)
	}
	t.ticks.warn(t.builder)
	return t.finish(), nil
}
