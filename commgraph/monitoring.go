package commgraph

import (
	"bytes"
	"io"
	"math"

	"remap/input"
	"remap/internal/linescan"
)

const (
	monitoringHint = "a profile of Open MPI's monitoring has lines such as E 0 1 5000 bytes 5 msgs sent, " +
		"with tabs between"
	monitoringTitle = "# POINT TO POINT" // the first line of every file
	worldName       = "MPI_COMM_WORLD"
)

// ReadMonitoring reads the profiles that Open MPI's monitoring writes (option
// pml_monitoring_enable), of one rank or of several one after the other. A line
//
//	E <tab> SENDER <tab> RECEIVER <tab> N bytes <tab> M msgs sent
//
// counts messages of the user, I counts those inside collectives and of the
// library; the sum of both is the traffic. Other lines say nothing more: C are
// the collectives once more, as data between all of their ranks; S and R are
// one-sided communication, which the lines E and I hold as well if Open MPI sends
// it as messages (osc/pt2pt). Source: ompi/mca/common/monitoring of Open MPI 4.1.
//
// There are as many ranks as the lines name, the members of MPI_COMM_WORLD
// (line D) and silent ranks that wrote a profile among them. Errors are
// *input.Error of the file name with line and column. More than 2^20 ranks and
// more than 64 times as many as lines E and I are an error. O(ranks + lines).
func ReadMonitoring(name string, r io.Reader) (*Traffic, error) {
	m := newMonitoringReader()
	if err := m.read(name, r); err != nil {
		return nil, err
	}
	return m.traffic(name)
}

// monitoringReader is the state of ReadMonitoring, over one file or many.
type monitoringReader struct {
	lines     *linescan.Lines
	flows     []Flow
	highest   int64 // rank, -1 = none
	highestAt place
	world     int64 // members of MPI_COMM_WORLD, 0 = not known
	worldAt   place
}

// place is a line of one of the files.
type place struct {
	file string
	line int
}

func newMonitoringReader() *monitoringReader { return &monitoringReader{highest: -1} }

// read takes the lines of a file in.
func (m *monitoringReader) read(name string, r io.Reader) error {
	m.lines = linescan.New(name, r)
	said := false
	for m.lines.Next() {
		line := m.lines.Bytes()
		said = said || len(bytes.TrimSpace(line)) > 0
		if err := m.line(line); err != nil {
			return err
		}
	}
	if err := m.lines.Err(); err != nil {
		return err
	}
	if !said {
		return emptyFile(name, monitoringHint)
	}
	return nil
}

// line reads a line of any kind.
func (m *monitoringReader) line(line []byte) error {
	line = bytes.TrimRight(line, " \r")
	kind, rest, _ := bytes.Cut(line, []byte("\t"))
	switch string(kind) {
	case "E", "I":
		return m.pair(line)
	case "D":
		return m.communicator(rest, len(line)-len(rest))
	case "O2A", "A2O", "A2A":
		return m.sum(rest, len(line)-len(rest))
	case "C", "S", "R":
		return nil
	}
	if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
		return nil
	}
	return m.lines.Errorf(1, monitoringHint, "no line of Open MPI's monitoring: %q", shorten(string(line)))
}

// pair reads what one rank sent another. What follows the number of messages, a
// histogram of their sizes, is not read.
func (m *monitoringReader) pair(line []byte) error {
	names := [...]string{"kind", "sender", "receiver", "bytes", "messages"}
	units := [...]string{"", "", "", " bytes", " msgs sent"}
	var values [len(names)]int64
	column := 1
	for i, name := range names {
		if column > len(line)+1 {
			return m.lines.Errorf(len(line)+1, monitoringHint, "no %s here", name)
		}
		text, _, _ := bytes.Cut(line[column-1:], []byte("\t"))
		width := len(text) + 1
		if i > 0 {
			number, found := bytes.CutSuffix(text, []byte(units[i]))
			if !found {
				return m.lines.Errorf(column, monitoringHint, "%s: %q does not end with%s", name,
					shorten(string(text)), units[i])
			}
			var err error
			if values[i], err = m.number(number, column, name, i < 3); err != nil {
				return err
			}
		}
		column += width
	}
	if len(m.flows) == math.MaxInt32 {
		return m.lines.Errorf(0, "record fewer phases", "more than %d lines of pairs", math.MaxInt32)
	}
	m.named(max(values[1], values[2]))
	m.flows = append(m.flows, Flow{int32(values[1]), int32(values[2]), values[3], values[4]})
	return nil
}

// number reads a rank, or an amount.
func (m *monitoringReader) number(text []byte, column int, name string, rank bool) (int64, error) {
	v, err := parseAmount(text)
	if err != nil {
		return 0, m.lines.Errorf(column, monitoringHint, "%s: %s", name, err)
	}
	if rank && v >= MaxRanks {
		return 0, m.lines.Errorf(column, monitoringHint, "%s: rank %d is above the limit of %d", name, v,
			MaxRanks-1)
	}
	return v, nil
}

// named notes that there is a rank.
func (m *monitoringReader) named(rank int64) {
	if rank > m.highest {
		m.highest, m.highestAt = rank, place{m.lines.File, m.lines.Number}
	}
}

// sum reads the rank of a summary of collectives, which every rank writes; -1
// is one that Open MPI does not know.
func (m *monitoringReader) sum(rest []byte, before int) error {
	text, _, _ := bytes.Cut(rest, []byte("\t"))
	if string(text) == "-1" {
		return nil
	}
	rank, err := m.number(text, before+1, "rank", true)
	if err == nil {
		m.named(rank)
	}
	return err
}

// communicator reads the members of MPI_COMM_WORLD, which must be the same
// everywhere. Other communicators have no others; their names may be anything.
func (m *monitoringReader) communicator(rest []byte, before int) error {
	list, found := bytes.CutPrefix(rest, []byte(worldName+"\tprocs: "))
	if !found || len(list) == 0 || list[0] == '(' { // (null): not known
		return nil
	}
	column, members := before+len(rest)-len(list)+1, int64(0)
	for text := range bytes.SplitSeq(list, []byte(",")) {
		rank, err := m.number(text, column, "rank", true)
		if err != nil {
			return err
		}
		m.named(rank)
		column += len(text) + 1
		members++
	}
	if m.world > 0 && members != m.world {
		return m.lines.Errorf(0, "read the files of one run only",
			"files of two runs: %s has %d ranks here, %d in line %d of %s", worldName, members, m.world,
			m.worldAt.line, m.worldAt.file)
	}
	if m.world == 0 {
		m.world, m.worldAt = members, place{m.lines.File, m.lines.Number}
	}
	return nil
}

// traffic builds the result; name stands in errors of the whole.
func (m *monitoringReader) traffic(name string) (*Traffic, error) {
	if m.highest < 0 {
		return nil, &input.Error{File: name, Reason: "no rank is named", Hint: monitoringHint}
	}
	err := tooManyRanks(m.highestAt.file, m.highestAt.line, m.highest+1, int64(len(m.flows)), 1<<20)
	if err != nil {
		return nil, err
	}
	t, err := NewTraffic(int(m.highest+1), m.flows, true)
	if err != nil {
		return nil, &input.Error{File: name, Reason: err.Error(), Hint: totalHint, Err: err}
	}
	return t, nil
}
