package commgraph

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"remap/input"
)

// Names of the graph formats, as Read and the command line take them.
const (
	FormatDense               = "dense"
	FormatEdges               = "edges"
	FormatMETIS               = "metis"
	FormatScotch              = "scotch"
	FormatMatrixMarket        = "matrix-market"
	FormatMatrixMarketPattern = "matrix-market-pattern"
	FormatParComm             = "par-comm"
	FormatMonitoring          = "openmpi-monitoring"
)

// formats is every format that Read takes: its name, what its files are, and
// how they are read. Graphs without directions become traffic by halves.
var formats = []struct {
	name, doc string
	read      func(name string, r io.Reader) (*Traffic, error)
}{
	{FormatDense, "square matrices with commas between", ReadDense},
	{FormatEdges, "CSV files with the header src,dst,bytes", ReadEdgeList},
	{FormatMETIS, "METIS graphs", halves(ReadMETIS)},
	{FormatScotch, "Scotch graphs", halves(ReadScotch)},
	{FormatMatrixMarket, "Matrix Market files", ReadMatrixMarket},
	{FormatMatrixMarketPattern, "the structure of Matrix Market files", ReadMatrixMarketPattern},
	{FormatParComm, "par-comm-data files (lines of source, destination, bytes and hops)", sizesAlone},
	{FormatMonitoring, "profiles of Open MPI's monitoring", ReadMonitoring},
}

// halves is a reader of a graph as one of traffic, see Graph.Traffic.
func halves(read func(string, io.Reader) (*Graph, error)) func(string, io.Reader) (*Traffic, error) {
	return func(name string, r io.Reader) (*Traffic, error) {
		g, err := read(name, r)
		if err != nil {
			return nil, err
		}
		return g.intoTraffic(), nil
	}
}

// sizesAlone is ReadParComm without the hops.
func sizesAlone(name string, r io.Reader) (*Traffic, error) {
	t, _, err := ReadParComm(name, r)
	return t, err
}

// Formats lists the names that Read takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// FormatsDoc says in one line what files can be read.
func FormatsDoc() string {
	docs := make([]string, len(formats))
	for i, f := range formats {
		docs[i] = f.doc
	}
	last := len(docs) - 1
	return strings.Join(docs[:last], ", ") + " and " + docs[last]
}

// Open reads a graph file; see Read. A folder is read if Open MPI's monitoring
// left its profiles there, PREFIX.RANK.prof. A missing, unreadable or empty file and
// any other folder are *input.Error as well.
func Open(path, format string) (*Traffic, error) {
	if format == "" || format == FormatMonitoring {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return openProfiles(path)
		}
	}
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f, format)
}

// OpenFile opens a file for reading; errors, folders among them, are
// *input.Error with a hint.
func OpenFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a folder, not a file")
	}
	if err != nil {
		f.Close()
		return nil, fileError(path, err)
	}
	return f, nil
}

// fileError leaves out what the place already says: operation and path.
func fileError(path string, err error) error {
	reason, hint := err.Error(), "name a file"
	var p *os.PathError
	if errors.As(err, &p) {
		reason = p.Err.Error()
	}
	if errors.Is(err, os.ErrNotExist) {
		hint = "check the path; it is relative to the folder the command runs in"
	} else if errors.Is(err, os.ErrPermission) {
		hint = "check the file's permissions"
	}
	return &input.Error{File: path, Reason: reason, Hint: hint, Err: err}
}

// Read reads traffic in the format of that name, or, if it is empty, in the
// one that the content shows (recognise). name stands in errors, which are
// *input.Error.
//
// METIS and Scotch graphs are undirected: every edge becomes two directions,
// see Graph.Traffic.
func Read(name string, r io.Reader, format string) (*Traffic, error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	content := sizedReader{buffered, inputSize(r)}
	doubt := ""
	if format == "" {
		head, err := peekHead(name, buffered)
		if err != nil {
			return nil, err
		}
		if format, err = recognise(name, head); err != nil {
			return nil, err
		}
		if format == FormatMETIS {
			doubt = head.doubt()
		}
	}
	for _, f := range formats {
		if f.name != format {
			continue
		}
		t, err := f.read(name, content)
		var wrong *input.Error
		if doubt != "" && errors.As(err, &wrong) {
			wrong.Hint = doubt
		}
		return t, err
	}
	return nil, &input.Error{Reason: fmt.Sprintf("unknown graph format %q", format),
		Hint: "known formats: " + strings.Join(Formats(), ", ")}
}
