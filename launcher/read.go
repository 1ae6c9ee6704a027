package launcher

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
	"remap/topology"
)

// ErrNoHosts is what the error of HostsIn wraps for a file whose format names no hosts.
var ErrNoHosts = errors.New("the format names no hosts")

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 64 << 10

// Recognise tells a file's format by the start of its content; "" when it is none of those known.
// Files with one host a line are "hosts", whatever launcher they are for, HOST:N is "mpich-hostfile".
func Recognise(start []byte) string {
	line := firstLine(linescan.TrimMark(start))
	for _, f := range table() {
		if line != "" && f.is != nil && f.is(line) {
			return f.name
		}
	}
	return ""
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

// Read makes a mapping of a file in the named format, "" = as its content shows: of the ranks of a job
// of known hosts, as many as `ranks` or, if that is 0, as the file has. file is for errors, which are
// *input.Error with line and column, or *mapping.TooFewSlots. An error that wraps mapping.ErrMisplaced
// is one of places, not of syntax.
func Read(file string, r io.Reader, name string, machine *topology.Topology, a *mapping.Allocation,
	ranks int) (mapping.Mapping, error) {
	c := mapping.NewCollector(file, machine, a, ranks)
	if _, err := read(file, r, name, c); err != nil {
		return nil, err
	}
	return c.Mapping()
}

// ReadPlacement is Read for hosts of no known network, each with its slots, none twice.
func ReadPlacement(file string, r io.Reader, name string, hosts []topology.HostSlots,
	ranks int) (*Placement, error) {
	c := mapping.NewHostCollector(file, hosts, ranks)
	bound, err := read(file, r, name, c)
	if err != nil {
		return nil, err
	}
	m, err := c.Mapping()
	if err != nil {
		return nil, err
	}
	p := placed(hosts, m)
	p.Bound = bound
	return p, nil
}

// HostsIn lists the hosts that a file names, in natural order, each with as many slots as the file
// needs. Errors: those of Read, and one that wraps ErrNoHosts.
func HostsIn(file string, r io.Reader, name string) ([]topology.HostSlots, error) {
	h := hostFinder{file: file, slots: map[string]int64{}, next: map[string]int64{}}
	if _, err := read(file, r, name, &h); err != nil {
		return nil, err
	}
	const least = 1 << 20 // slots that a job may have whatever the number of ranks
	var hosts []topology.HostSlots
	var total int64
	for name, slots := range h.slots {
		if total += slots; total > max(least, 64*h.entries) {
			return nil, &input.Error{File: file, Reason: fmt.Sprintf("%d slots and more for %d "+
				"ranks", total, h.entries),
				Hint: "--hosts names the job's hosts, with their slots"}
		}
		hosts = append(hosts, topology.HostSlots{Name: name, Slots: int32(slots)})
	}
	slices.SortFunc(hosts, func(a, b topology.HostSlots) int {
		if topology.NaturalLess(a.Name, b.Name) {
			return -1
		}
		return 1
	})
	return hosts, nil
}

// read hands the entries of a file to a collector, and tells whether the file names processors in place of
// slots.
func read(file string, r io.Reader, name string, to mapping.Reader) (bound bool, err error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	if name == "" {
		start, err := buffered.Peek(headBytes)
		if err != nil && err != io.EOF {
			return false, &input.Error{File: file, Reason: err.Error(), Err: err, Hint: "can the file be read to " +
				"its end?"}
		}
		if firstLine(linescan.TrimMark(start)) == "" {
			return false, &input.Error{File: file, Reason: "the mapping is empty",
				Hint: "a native mapping starts with the line rank,host,slot"}
		}
		if name = Recognise(start); name == "" {
			return false, &input.Error{File: file, Line: 1, Reason: "not a mapping in any known format",
				Hint: "known: " + strings.Join(Formats(), ", ")}
		}
	}
	f, err := find(name)
	if err != nil {
		return false, err
	}
	from := newSource(file, buffered, f.hint)
	err = f.read(from, to)
	return from.bound, err
}

// hostFinder takes the entries of a file of whose job nothing is known, for their hosts.
type hostFinder struct {
	file    string
	slots   map[string]int64 // that each host needs
	next    map[string]int64 // slot of each host that no entry has taken
	entries int64
}

// maxFound bounds the ranks of a job whose hosts are those of a file.
const maxFound = 1 << 22

func (h *hostFinder) Add(e mapping.RankPlace) error {
	h.entries++
	h.slots[e.Host] = max(h.slots[e.Host], e.Slot+1)
	h.next[e.Host] = max(h.next[e.Host], e.Slot+1)
	if h.entries > maxFound {
		return &input.Error{File: h.file, Line: e.Line, Column: e.SlotColumn, Hint: "--hosts names the job's " +
			"hosts, " +
			"with their slots", Reason: fmt.Sprintf("more than %d ranks on hosts that are not known", maxFound)}
	}
	return nil
}

func (h *hostFinder) Free(host string) int64 { return h.next[host] }
func (h *hostFinder) Ranks() int             { return 0 }

func (h *hostFinder) Host(int) (string, error) { return "", ErrNoHosts }

func (h *hostFinder) Slot(int) (string, int64, error) { return "", 0, ErrNoHosts }
