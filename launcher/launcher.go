// Package launcher writes mappings as the files that launchers and schedulers
// read, and reads them back.
package launcher

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/internal/nearest"
	"remap/mapping"
	"remap/topology"
)

// Native is the format that mappings are kept in.
const Native = "csv"

// format is one kind of file.
type format struct {
	name, doc string
	write     func(w io.Writer, machine *topology.Topology, a *mapping.Allocation, m mapping.Mapping) error
	read      func(file string, r io.Reader, machine *topology.Topology, a *mapping.Allocation,
		ranks int) (mapping.Mapping, error)
	line func(path string, ranks int) string // nil: no launcher reads it
	is   func(line string) bool              // tells the format by its first line that is no comment
}

// table is the one list of formats, in the order shown to users.
func table() []format {
	return []format{
		{
			name: Native, doc: "native table: rank,host,slot",
			write: mapping.WriteCSV, read: mapping.ReadCSV,
			is: func(line string) bool { return strings.HasPrefix(line, "rank,") },
		},
		{
			name: "json", doc: "the native table as JSON",
			write: mapping.WriteJSON, read: mapping.ReadJSON,
			is: func(line string) bool { return strings.HasPrefix(line, "{") },
		},
		{
			name: "openmpi-rankfile", doc: "Open MPI rankfile: rank 0=node1 slot=0",
			write: writeRankfile, read: readRankfile, line: rankfileLine,
			is: func(line string) bool {
				return strings.HasPrefix(line, "rank ") ||
					strings.HasPrefix(line, "rank\t")
			},
		},
	}
}

// Formats lists the names of the formats, in the order shown to users.
func Formats() []string {
	rows := table()
	names := make([]string, len(rows))
	for i, f := range rows {
		names[i] = f.name
	}
	return names
}

// Describe is one line about a format; "" when there is none of that name.
func Describe(name string) string {
	f, err := find(name)
	if err != nil {
		return ""
	}
	return f.doc
}

func find(name string) (format, error) {
	for _, f := range table() {
		if f.name == name {
			return f, nil
		}
	}
	hint := "known: " + strings.Join(Formats(), ", ")
	if near := nearest.Name(name, Formats()); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return format{}, &input.Error{Reason: fmt.Sprintf("unknown mapping format %q", name), Hint: hint}
}

// Check tells whether there is a format of that name; if not, the error's hint
// lists those there are.
func Check(name string) error {
	_, err := find(name)
	return err
}

// Write writes a mapping in the named format; it must pass Check for the
// allocation. Errors: an unknown format, a host name the launcher would not
// understand, and those of w.
func Write(w io.Writer, name string, machine *topology.Topology, a *mapping.Allocation,
	m mapping.Mapping) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	return f.write(w, machine, a, m)
}

// Parse reads a mapping in the named format; ranks is the number expected, 0 =
// as many as the file has; file is for errors, which are *input.Error with line
// and column, or *mapping.TooFewSlots.
func Parse(file string, r io.Reader, name string, machine *topology.Topology, a *mapping.Allocation,
	ranks int) (mapping.Mapping, error) {
	f, err := find(name)
	if err != nil {
		return nil, err
	}
	return f.read(file, r, machine, a, ranks)
}

// Read reads a mapping in whatever format it is, told by its content; for
// parameters and errors see Parse.
func Read(file string, r io.Reader, machine *topology.Topology, a *mapping.Allocation,
	ranks int) (mapping.Mapping, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	start, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return nil, &input.Error{File: file, Reason: err.Error(), Err: err}
	}
	line := firstLine(linescan.TrimMark(start))
	if line == "" {
		return nil, &input.Error{File: file, Reason: "the mapping is " +
			"empty", Hint: "a native mapping starts with the line rank,host,slot"}
	}
	for _, f := range table() {
		if f.is(line) {
			return f.read(file, buffered, machine, a, ranks)
		}
	}
	return nil, &input.Error{File: file, Line: 1, Reason: "not a mapping in any known format",
		Hint: "known: " + strings.Join(Formats(), ", ")}
}

// firstLine is the first line that is neither blank nor a comment.
func firstLine(text []byte) string {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return string(line)
		}
		text = rest
	}
	return ""
}

// LaunchLine is the command that starts the program with a written file; ""
// for formats that no launcher reads. Words in capitals are for the user to
// fill in; what follows # is a shell comment.
func LaunchLine(name, path string, ranks int) string {
	f, err := find(name)
	if err != nil || f.line == nil {
		return ""
	}
	return f.line(quote(path), ranks)
}

// quote makes a path one word of a POSIX shell.
func quote(path string) string {
	plain := strings.IndexFunc(path, func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%", r)
	}) < 0
	if plain && path != "" && path[0] != '-' {
		return path
	}
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
