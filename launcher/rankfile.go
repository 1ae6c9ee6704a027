package launcher

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
)

// writeRankfile writes `rank 0=node1 slot=0`, one line a rank: absolute host
// names, because the relative ones need a scheduler's allocation. The slot is the number of a processor
// of the host; with a binding and known cores it is SOCKET:CORE, or all cores of a socket or of the host.
func writeRankfile(w *bufio.Writer, p *Placement, o Options) error {
	for r, slot := range p.Slot {
		host := p.Hosts[p.Host[r]]
		fmt.Fprintf(w, "rank %d=%s slot=", r, host.Name)
		core := o.Cores.core(slot, host.Slots)
		switch {
		case o.Cores.Sockets > 0 && o.Bind == BindNone: // all cores
			fmt.Fprintf(w, "0-%d\n", o.Cores.Sockets*o.Cores.PerSocket-1)
		case o.Cores.Sockets > 0 && o.Bind == BindSocket:
			fmt.Fprintf(w, "%d:0-%d\n", core/o.Cores.PerSocket%o.Cores.Sockets, o.Cores.PerSocket-1)
		case o.Cores.Sockets > 0 && o.Bind == BindCore:
			fmt.Fprintf(w, "%d:%d\n", core/o.Cores.PerSocket, core%o.Cores.PerSocket)
		default:
			fmt.Fprintf(w, "%d\n", slot)
		}
	}
	return nil
}

// checkRankfileHosts refuses names that Open MPI 4 (tried with 4.1.4) does not
// take for a host in a rankfile, and names that it takes for the same host
// because it cuts them at the first dot.
func checkRankfileHosts(p *Placement) error {
	short := map[string]string{}
	for _, h := range p.used() {
		name := p.Hosts[h].Name
		if reason := refusedName(name); reason != "" {
			return &input.Error{Reason: fmt.Sprintf("Open MPI does not take %q for a host in a "+
				"rankfile: %s", name, reason),
				Hint: "rename the host in the topology, or write another format"}
		}
		if isAddress(name) {
			continue
		}
		cut, _, _ := strings.Cut(name, ".")
		if other, seen := short[cut]; seen {
			return &input.Error{Reason: fmt.Sprintf("Open MPI cuts host names at the first dot: %s and %s are the "+
				"same to it", other, name),
				Hint: "rename one of the hosts, or write another format"}
		}
		short[cut] = name
	}
	return nil
}

// refusedName says what is wrong with a name, "" when nothing is.
func refusedName(name string) string {
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

// rankfileLine is one line of a rankfile.
type rankfileLine struct {
	mapping.RankPlace
	// processors of a slot that is not one number: socket, or 0, and first core.
	processors [2]int64
	plain      bool // the slot is one number
}

// readRankfile reads rankfiles, blank lines and comments between their lines. A host +n0 is the first one
// of the job, and so on. A slot
// of one number is that slot; ranks with other slots, such as 0:1 or 4-7, take the free slots of their
// host in the order of their processors.
func readRankfile(s *source, to mapping.Reader) error {
	lines := s.lines
	var others []rankfileLine
	read := 0
	for lines.Next() {
		text := lines.Text()
		if content := strings.TrimSpace(text); content == "" || content[0] == '#' ||
			strings.HasPrefix(content, "//") {
			continue
		}
		e, err := rankfileEntry(lines, text)
		if err == nil {
			err = e.absolute(lines, to)
		}
		if err != nil {
			return err
		}
		read++
		if !e.plain {
			s.bound = true
			others = append(others, e)
			continue
		}
		if err := to.Add(e.RankPlace); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if read == 0 {
		return &input.Error{File: s.file, Reason: "the rankfile is empty", Hint: rankfileHint}
	}
	slices.SortStableFunc(others, func(a, b rankfileLine) int {
		return cmp.Or(cmp.Compare(a.processors[0], b.processors[0]), cmp.Compare(a.processors[1], b.processors[1]),
			cmp.Compare(a.Rank, b.Rank))
	})
	for _, e := range others {
		e.Slot = to.Free(e.Host)
		if err := to.Add(e.RankPlace); err != nil {
			return err
		}
	}
	return nil
}

const rankfileHint = "a line reads: rank 0=node1 slot=0"

// absolute names the host of +n0, which is the first one of the job, and so on.
func (e *rankfileLine) absolute(lines *linescan.Lines, to mapping.Reader) error {
	digits, relative := strings.CutPrefix(e.Host, "+n")
	number, err := linescan.Whole(digits)
	if !relative || err != nil {
		return nil
	}
	host, err := to.Host(int(number))
	switch {
	case errors.Is(err, ErrNoHosts):
		return lines.Errorf(e.HostColumn, "--hosts names the job's hosts in their order",
			"host %s is relative to an allocation that is not known", e.Host)
	case err != nil:
		wrong := lines.Errorf(e.HostColumn, "--hosts names the job's hosts in their order", "%s", err)
		wrong.Err = mapping.ErrMisplaced
		return wrong
	}
	e.Host = host
	return nil
}

// rankfileEntry reads `rank N=HOST slot=S`.
func rankfileEntry(lines *linescan.Lines, text string) (rankfileLine, error) {
	s := scanner{text: text}
	e := rankfileLine{RankPlace: mapping.RankPlace{Line: lines.Number}}
	fail := func(what string) (rankfileLine, error) {
		return e, lines.Errorf(s.at+1, rankfileHint, "%s is missing", what)
	}
	if word := s.word(); word != "rank" {
		return e, lines.Errorf(s.start+1, rankfileHint, "the line does not begin with rank")
	}
	number := s.word()
	e.RankColumn = s.start + 1
	var err error
	if e.Rank, err = linescan.Whole(number); err != nil {
		return e, lines.Errorf(e.RankColumn, "ranks count from 0", "rank %q is not a whole number below "+
			"2^31", clip(number))
	}
	if !s.equals() {
		return fail("= after the rank")
	}
	if e.Host = s.word(); e.Host == "" {
		return fail("the host")
	}
	e.HostColumn = s.start + 1
	if word := s.word(); word != "slot" && word != "slots" {
		return e, lines.Errorf(s.start+1, rankfileHint, "slot= is missing")
	}
	if !s.equals() {
		return fail("= after slot")
	}
	slot := s.word()
	e.SlotColumn = s.start + 1
	if !e.slot(slot) {
		return e, lines.Errorf(e.SlotColumn, "a slot is a number, SOCKET:CORES or a list of processors, such as "+
			"3, 0:1 or 4-7", "slot %q is not one", clip(slot))
	}
	if word := s.word(); word != "" && word[0] != '#' {
		return e, lines.Errorf(s.start+1, rankfileHint, "unexpected %q after the slot", word)
	}
	return e, nil
}

// slot reads a slot: a number, a list of numbers and ranges of them, or SOCKET:LIST, where the list may
// be * for all cores. Sockets too may be a list with semicolons between. Only the first socket and the
// first processor count.
func (e *rankfileLine) slot(text string) bool {
	var err error
	if e.Slot, err = linescan.Whole(text); err == nil {
		e.plain = true
		return true
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "p"), ";")
	socket, cores, found := strings.Cut(text, ":")
	if !found {
		socket, cores = "0", text
	}
	if e.processors[0], err = linescan.Whole(socket); err != nil {
		return false
	}
	if cores == "*" {
		return true
	}
	for i, part := range strings.Split(cores, ",") {
		low, high, ranged := strings.Cut(part, "-")
		from, err := linescan.Whole(low)
		till := from
		if ranged && err == nil {
			till, err = linescan.Whole(high)
		}
		if err != nil || till < from {
			return false
		}
		if i == 0 {
			e.processors[1] = from
		}
	}
	return true
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
