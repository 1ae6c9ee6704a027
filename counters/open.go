package counters

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/topology"
)

// form is what a file holds, by its content.
type form uint8

const (
	nothing   form = iota // no byte but blanks
	unknown               // none of ours
	perfquery             // ReadPerfquery
	errorsOf              // ReadErrors
	tableForm             // ReadTable
)

// recognise tells the form of a file by its beginning.
func recognise(start []byte) form {
	start = linescan.TrimMark(start)
	if len(bytes.TrimSpace(start)) == 0 {
		return nothing
	}
	said := false
	for _, line := range strings.Split(string(start), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case spoken(trimmed):
			said = true
		case strings.HasPrefix(trimmed, "# Port"):
			return perfquery
		case strings.HasPrefix(trimmed, "Errors for ") || strings.HasPrefix(trimmed, "Data Counters "+
			"for ") || strings.HasPrefix(trimmed, "GUID 0x") || strings.HasPrefix(trimmed, "## Summary"):
			return errorsOf
		case strings.Contains(trimmed, ","):
			return tableForm
		case trimmed[0] != '#':
			return unknown
		}
	}
	if said { // a port that does not answer
		return perfquery
	}
	return unknown
}

// mostFiles bounds what a folder may hold.
const mostFiles = 1 << 20

// Open reads files or folders of measurements of the links of a network, recognised by
// content: up to five snapshots of port counters in order of time, o.Seconds from one to
// the next (Difference says what one alone gives); or up to four tables. The result is of
// the whole time; of several intervals it has each (Links.Windows). A folder is one
// snapshot: its files are read in order of their names, folders in it and files
// with no counters are passed over. Errors are *input.Error or of the operating
// system.
func Open(machine *topology.Topology, paths []string, o Options) (*Links, error) {
	if len(paths) < 1 || len(paths) > MostWindows+1 {
		return nil, &input.Error{Reason: fmt.Sprintf("%d measurements", len(paths)), Hint: severalHint}
	}
	var snapshots []*Snapshot
	var tables []string
	for _, path := range paths {
		s, isTable, err := openSnapshot(path)
		switch {
		case err != nil:
			return nil, err
		case isTable:
			tables = append(tables, path)
		default:
			snapshots = append(snapshots, s)
		}
	}
	switch {
	case len(tables) > 0 && len(snapshots) > 0:
		return nil, &input.Error{File: tables[0],
			Reason: "a table of links, where snapshots of perfquery or ibqueryerrors are expected",
			Hint:   "a table holds its own time: give tables without snapshots"}
	case len(tables) > 0:
		return openTables(machine, tables, o)
	}
	links, err := between(machine, snapshots, o)
	var wrong *input.Error
	if errors.As(err, &wrong) && wrong.File == "" {
		wrong.Reason = strings.Join(paths, ", ") + ": " + wrong.Reason
	}
	return links, err
}

func openTable(machine *topology.Topology, path string, o Options) (*Links, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadTable(machine, path, file, o)
}

// openSnapshot reads a file or a folder of them; isTable tells that it is a file
// with a table, which is not read.
func openSnapshot(path string) (s *Snapshot, isTable bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	s = NewSnapshot()
	if !info.IsDir() {
		isTable, err = s.readFile(path, true)
		return s, isTable, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, false, err
	}
	if len(entries) > mostFiles {
		return nil, false, &input.Error{File: path, Reason: fmt.Sprintf("the folder has %d "+
			"files", len(entries)), Hint: "is this the right folder?"}
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		if _, err := s.readFile(filepath.Join(path, entry.Name()), false); err != nil {
			return nil, false, err
		}
	}
	return s, false, nil
}

// readFile adds one file. Alone it must hold something of ours.
func (s *Snapshot) readFile(path string, alone bool) (isTable bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	start := make([]byte, 1<<16)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	whole := io.MultiReader(bytes.NewReader(start[:n]), file)
	switch form := recognise(start[:n]); {
	case form == perfquery:
		return false, s.ReadPerfquery(path, whole)
	case form == errorsOf:
		return false, s.ReadErrors(path, whole)
	case form == tableForm && alone:
		return true, nil
	case form == nothing && !alone:
		s.empty = append(s.empty, path)
	case form == nothing:
		return false, &input.Error{File: path, Reason: "the file is " +
			"empty", Hint: "the port is dead, or nobody answered; in a folder of files empty ones are named and " +
			"passed over"}
	case alone:
		return false, &input.Error{File: path, Reason: "neither counters of perfquery or ibqueryerrors nor a " +
			"table of links", Hint: "perfquery -x LID PORT, ibqueryerrors --data, or " + tableHint}
	default:
		s.others = append(s.others, path)
	}
	return false, nil
}
