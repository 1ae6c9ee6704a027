package launcher

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
	"remap/topology"
)

// rankfileLine is for Open MPI 4; version 5 took another option for the file.
func rankfileLine(path string, ranks int) string {
	return fmt.Sprintf("mpirun -np %d --hostfile HOSTFILE --rankfile %s PROGRAM"+
		"  # inside a scheduler's job without --hostfile; Open MPI 5: --map-by rankfile:FILE=%s", ranks, path, path)
}

// writeRankfile writes `rank 0=node1 slot=0`, one line a rank: absolute host
// names, because the relative ones need a scheduler's allocation, and the slot
// as the number of a processor of the host.
func writeRankfile(w io.Writer, machine *topology.Topology, a *mapping.Allocation, m mapping.Mapping) error {
	if len(m) == 0 {
		return &input.Error{Reason: "a mapping of no ranks cannot be a " +
			"rankfile", Hint: "Open MPI needs one rank at least"}
	}
	hosts, within := m.Hosts(a), a.SlotWithinHost()
	if err := checkRankfileHosts(machine, hosts); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for r, s := range m {
		fmt.Fprintf(out, "rank %d=%s slot=%d\n", r, machine.HostNames[hosts[r]], within[s])
	}
	return out.Flush()
}

// checkRankfileHosts refuses names that Open MPI 4 (tried with 4.1.4) does not
// take for a host in a rankfile, and names that it takes for the same host
// because it cuts them at the first dot.
func checkRankfileHosts(machine *topology.Topology, hosts []int32) error {
	short := map[string]int32{}
	for _, h := range hosts {
		name := machine.HostNames[h]
		if reason := refusedName(name); reason != "" {
			return &input.Error{Reason: fmt.Sprintf("Open MPI does not take %q for a host in a "+
				"rankfile: %s", name, reason),
				Hint: "rename the host in the topology, or write another format"}
		}
		if isAddress(name) {
			continue
		}
		cut, _, _ := strings.Cut(name, ".")
		if other, seen := short[cut]; seen && other != h {
			return &input.Error{Reason: fmt.Sprintf("Open MPI cuts host names at the first dot: %s and %s are the "+
				"same to it", machine.HostNames[other], name),
				Hint: "rename one of the hosts, or write another format"}
		}
		short[cut] = h
	}
	return nil
}

// refusedName says what is wrong with a name, "" when nothing is.
func refusedName(name string) string {
	const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"
	switch name {
	case "":
		return "it is empty"
	case "rank", "slot", "slots", "username", "user-name", "user_name":
		return "it is a keyword there"
	}
	number := strings.Trim(name, digits) == ""
	switch {
	case !only(name, letters+digits+"_-."):
		return "only letters, digits, dots, hyphens and underscores are allowed"
	case name[0] == '-' || name[0] == '.':
		return "it begins with a hyphen or dot"
	case number && len(name) > 1 && name[0] == '0':
		return "it is read as a number, which loses the leading zeros"
	case number && len(name) > 9:
		return "it is read as a number, which is too large"
	case strings.Contains(name, ".") && !strings.ContainsAny(name[:1], letters) && !isAddress(name):
		return "a name with dots must begin with a letter"
	}
	return ""
}

func only(text, allowed string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(allowed, r) }) < 0
}

// isAddress tells four numbers of one to three digits joined by dots.
func isAddress(name string) bool {
	parts := strings.Split(name, ".")
	for _, p := range parts {
		if len(p) < 1 || len(p) > 3 || !only(p, "0123456789") {
			return false
		}
	}
	return len(parts) == 4
}

// readRankfile reads rankfiles of single slots and absolute host names, blank
// lines and comments between them.
func readRankfile(file string, r io.Reader, machine *topology.Topology, a *mapping.Allocation,
	ranks int) (mapping.Mapping, error) {
	lines := linescan.New(file, r)
	c := mapping.NewCollector(file, machine, a, ranks)
	read := 0
	for lines.Next() {
		text := lines.Text()
		if content := strings.TrimSpace(text); content == "" || content[0] == '#' ||
			strings.HasPrefix(content, "//") {
			continue
		}
		e, err := rankfileEntry(lines, text)
		if err != nil {
			return nil, err
		}
		if err := c.Add(e); err != nil {
			return nil, err
		}
		read++
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if read == 0 {
		return nil, &input.Error{File: file, Reason: "the rankfile is empty", Hint: rankfileHint}
	}
	return c.Mapping()
}

const rankfileHint = "a line reads: rank 0=node1 slot=0"

// rankfileEntry reads `rank N=HOST slot=S`.
func rankfileEntry(lines *linescan.Lines, text string) (mapping.RankPlace, error) {
	s := scanner{text: text}
	e := mapping.RankPlace{Line: lines.Number}
	fail := func(what string) (mapping.RankPlace, error) {
		return e, lines.Errorf(s.at+1, rankfileHint, "%s is missing", what)
	}
	if word := s.word(); word != "rank" {
		return e, lines.Errorf(s.start+1, rankfileHint, "the line does not begin with rank")
	}
	number := s.word()
	e.RankColumn = s.start + 1
	var err error
	if e.Rank, err = whole(number); err != nil {
		return e, lines.Errorf(e.RankColumn, "ranks count from 0", "rank %q is not a whole number", number)
	}
	if !s.equals() {
		return fail("= after the rank")
	}
	if e.Host = s.word(); e.Host == "" {
		return fail("the host")
	}
	e.HostColumn = s.start + 1
	if strings.HasPrefix(e.Host, "+n") {
		return e, lines.Errorf(e.HostColumn, "write the host's own "+
			"name", "host %s is relative to an allocation that is not known", e.Host)
	}
	if word := s.word(); word != "slot" && word != "slots" {
		return e, lines.Errorf(s.start+1, rankfileHint, "slot= is missing")
	}
	if !s.equals() {
		return fail("= after slot")
	}
	slot := s.word()
	e.SlotColumn = s.start + 1
	if e.Slot, err = whole(slot); err != nil {
		return e, lines.Errorf(e.SlotColumn, "only single slots are read, numbered from 0 within the "+
			"host", "slot %q is not a whole number", slot)
	}
	if word := s.word(); word != "" && word[0] != '#' {
		return e, lines.Errorf(s.start+1, rankfileHint, "unexpected %q after the slot", word)
	}
	return e, nil
}

func whole(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int64(n), err
}

// scanner splits a line into words and equals signs.
type scanner struct {
	text      string
	start, at int // of the last word: its first byte and the byte after it
}

func (s *scanner) skip() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\f\v", s.text[s.at]) >= 0 {
		s.at++
	}
}

// word takes the next word, "" at an equals sign or the end.
func (s *scanner) word() string {
	s.skip()
	s.start = s.at
	for s.at < len(s.text) && strings.IndexByte(" \t\r\f\v=", s.text[s.at]) < 0 {
		s.at++
	}
	return s.text[s.start:s.at]
}

// equals takes an equals sign.
func (s *scanner) equals() bool {
	s.skip()
	if s.at < len(s.text) && s.text[s.at] == '=' {
		s.at++
		return true
	}
	return false
}
