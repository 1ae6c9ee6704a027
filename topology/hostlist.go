package topology

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// HostSlots is one entry of a host list.
type HostSlots struct {
	Name string
	// Slots: ranks the host takes; 0 = not said.
	Slots int32
}

// MaxHosts is the most hosts a host list may name.
const MaxHosts = 1 << 20

// maxSlots is the most slots a host list may give one host.
const maxSlots = 1 << 24

const hostListHint = "write names such as n[0-2,7],rack[1-2]-n[08-10], each with :SLOTS if wanted"

// ParseHostList expands a host-list expression in Slurm's syntax: names
// separated by commas or blanks, with ranges in brackets ("n[0-2,7]" keeps
// leading zeros; of several brackets in one name the last counts fastest, then
// the first, the second and so on, which is Slurm's order), each name with ":SLOTS" if wanted.
// The order is that of the expression. No
// host may be named twice. Errors are *input.Error with the column.
func ParseHostList(expression string) ([]HostSlots, error) {
	list := hostList{limit: MaxHosts, seen: map[string]int{}}
	err := list.add(expression, 0)
	if err == nil && len(list.hosts) == 0 {
		err = &input.Error{Reason: "it names no host"}
	}
	if err != nil {
		where := ""
		if err.Column > 0 {
			where = fmt.Sprintf(", column %d", err.Column)
		}
		err.Reason = fmt.Sprintf("host list %q%s: %s", clip(expression), where, err.Reason)
		err.Hint = hostListHint
		return nil, err
	}
	return list.hosts, nil
}

// ReadHostList reads a file of host-list expressions, one a line, or of lines
// "HOST slots=N" (Open MPI hostfile; max_slots and other keys are ignored). A host that stands several times
// without slots has as many, as in the node files of PBS and LSF.
// What follows a # is a comment. Errors are *input.Error with line and column.
func ReadHostList(name string, r io.Reader) ([]HostSlots, error) {
	lines := linescan.New(name, r)
	list := hostList{limit: MaxHosts, seen: map[string]int{}, lines: true, counted: map[int]bool{}}
	for lines.Next() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		expression, slots, err := openMPI(text)
		if err == nil {
			err = list.add(expression, slots)
		}
		if err != nil {
			err.File, err.Line, err.Hint = name, lines.Number, hostListHint
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list.hosts) == 0 {
		return nil, &input.Error{File: name, Reason: "the file names no host", Hint: hostListHint}
	}
	return list.hosts, nil
}

// openMPI splits "HOST slots=N ..." ; other lines come back as they are.
func openMPI(text string) (expression string, slots int32, err *input.Error) {
	fields := strings.Fields(text)
	if len(fields) < 2 || !strings.Contains(strings.Join(fields[1:], " "), "=") {
		return text, 0, nil
	}
	for _, field := range fields[1:] {
		key, value, ok := strings.Cut(field, "=")
		if !ok {
			return "", 0, &input.Error{Column: 1 + strings.Index(text, field),
				Reason: fmt.Sprintf("expected KEY=VALUE after the host, found %q", clip(field))}
		}
		if key != "slots" {
			continue
		}
		n, bad := strconv.ParseInt(value, 10, 32)
		if bad != nil || n < 1 || n > maxSlots {
			return "", 0, &input.Error{Column: 1 + strings.Index(text, field),
				Reason: fmt.Sprintf("slots must be a number from 1 to %d, not %q", maxSlots, clip(value))}
		}
		slots = int32(n)
	}
	return text[:strings.Index(text, fields[0])+len(fields[0])], slots, nil
}

// hostList gathers hosts; seen guards against names given twice.
type hostList struct {
	limit int
	hosts []HostSlots
	seen  map[string]int // name to index in hosts
	// lines: a file, in which a host that stands again has a slot more; counted are such hosts.
	lines   bool
	counted map[int]bool
}

func isSeparator(c byte) bool { return c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// add expands one expression; slots is for entries that do not say, 0 = not said.
func (l *hostList) add(expression string, slots int32) *input.Error {
	comma, entries := 0, 0 // comma: column of one that still needs an entry behind it
	for i := 0; i < len(expression); {
		if c := expression[i]; isSeparator(c) {
			if c == ',' && (comma > 0 || entries == 0) {
				return &input.Error{Column: i + 1, Reason: "a comma without a host before it"}
			}
			if c == ',' {
				comma = i + 1
			}
			i++
			continue
		}
		end, err := entryEnd(expression, i)
		if err == nil {
			err = l.entry(expression[i:end], i, slots)
		}
		if err != nil {
			return err
		}
		i, comma, entries = end, 0, entries+1
	}
	if comma > 0 {
		return &input.Error{Column: comma, Reason: "a comma without a host behind it"}
	}
	return nil
}

// entryEnd finds the separator behind the entry that starts at i.
func entryEnd(expression string, i int) (int, *input.Error) {
	open := 0 // column of the open bracket
	for ; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '[' && open > 0:
			return 0, &input.Error{Column: i + 1, Reason: fmt.Sprintf("a bracket inside the bracket of column %d",
				open)}
		case c == '[':
			open = i + 1
		case c == ']' && open == 0:
			return 0, &input.Error{Column: i + 1, Reason: "a closing bracket without an opening one"}
		case c == ']':
			open = 0
		case c < ' ' && !isSeparator(c) || c == 0x7f:
			return 0, &input.Error{Column: i + 1, Reason: fmt.Sprintf("control character %q in a name", c)}
		case open == 0 && isSeparator(c):
			return i, nil
		}
	}
	if open > 0 {
		return 0, &input.Error{Column: open, Reason: "the bracket is not closed"}
	}
	return i, nil
}

// span is LOW-HIGH of a bracket, printed with at least width digits.
type span struct {
	low, high uint64
	width     int
}

// part is a piece of a name: text, and the bracket behind it (nil = none).
type part struct {
	text  string
	spans []span
	count int
	span  int    // where expand is: the span in hand
	value uint64 // and the number in it
}

// entry expands NAME[:SLOTS]; at is its offset in the expression.
func (l *hostList) entry(text string, at int, slots int32) *input.Error {
	name, said := text, ""
	if colon := strings.IndexByte(text[strings.LastIndexByte(text, ']')+1:], ':'); colon >= 0 {
		colon += strings.LastIndexByte(text, ']') + 1
		name, said = text[:colon], text[colon+1:]
		n, err := strconv.ParseInt(said, 10, 32)
		if err != nil || n < 1 || n > maxSlots {
			return &input.Error{Column: at + len(name) + 2,
				Reason: fmt.Sprintf("slots must be a number from 1 to %d, not %q", maxSlots, clip(said))}
		}
		slots = int32(n)
	}
	if name == "" {
		return &input.Error{Column: at + 1, Reason: "slots without a host name"}
	}
	var parts []part
	total := 1
	for i := 0; i < len(name); {
		open := strings.IndexByte(name[i:], '[')
		if open < 0 {
			parts = append(parts, part{text: name[i:], count: 1})
			break
		}
		closing := strings.IndexByte(name[i:], ']')
		p, err := bracket(name[i+open+1:i+closing], at+i+open+1)
		if err != nil {
			return err
		}
		if total *= p.count; total > l.limit-len(l.hosts) {
			return &input.Error{Column: at + i + open + 1, Reason: fmt.Sprintf("more than %d hosts", l.limit)}
		}
		p.text = name[i : i+open]
		parts = append(parts, p)
		i += closing + 1
	}
	return l.expand(parts, at, slots)
}

// bracket reads "0-2,7", which starts at offset at.
func bracket(body string, at int) (part, *input.Error) {
	var p part
	for _, piece := range strings.Split(body, ",") {
		low, high, isRange := strings.Cut(piece, "-")
		if !isRange {
			high = low
		}
		a, errLow := digits(low)
		b, errHigh := digits(high)
		switch {
		case errLow || errHigh:
			return p, &input.Error{Column: at + 1, Reason: fmt.Sprintf(
				"expected NUMBER or LOW-HIGH of at most 18 digits in the bracket, found %q", clip(piece))}
		case a > b:
			return p, &input.Error{Column: at + 1, Reason: fmt.Sprintf("range %s ends before it starts", clip(piece))}
		case b-a >= MaxHosts || p.count+int(b-a)+1 > MaxHosts:
			return p, &input.Error{Column: at + 1, Reason: fmt.Sprintf("more than %d hosts", MaxHosts)}
		}
		p.spans = append(p.spans, span{a, b, len(low)})
		p.count += int(b-a) + 1
		at += len(piece) + 1
	}
	return p, nil
}

func digits(s string) (n uint64, bad bool) {
	if s == "" || len(s) > 18 || strings.Trim(s, "0123456789") != "" {
		return 0, true
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err != nil
}

// step goes to the next number of the bracket; at the end back to the first,
// and false.
func (p *part) step() bool {
	if p.value++; p.value <= p.spans[p.span].high {
		return true
	}
	p.span = (p.span + 1) % len(p.spans)
	p.value = p.spans[p.span].low
	return p.span > 0
}

// expand appends all names of the parts. As in Slurm the last bracket counts
// fastest, then the first, the second and so on.
func (l *hostList) expand(parts []part, at int, slots int32) *input.Error {
	var turns []*part // brackets, fastest first
	for i := range parts {
		if p := &parts[i]; p.spans != nil {
			p.value = p.spans[0].low
			turns = append(turns, p)
		}
	}
	if n := len(turns); n > 0 {
		turns = append(turns[n-1:], turns[:n-1]...)
	}
	var name []byte
	for {
		name = name[:0]
		for i := range parts {
			p := &parts[i]
			name = append(name, p.text...)
			if p.spans != nil {
				name = appendPadded(name, p.value, p.spans[p.span].width)
			}
		}
		if err := l.append(string(name), at, slots); err != nil {
			return err
		}
		more := false
		for i := 0; i < len(turns) && !more; i++ {
			more = turns[i].step()
		}
		if !more {
			return nil
		}
	}
}

// appendPadded appends n with at least width digits.
func appendPadded(text []byte, n uint64, width int) []byte {
	var scratch [20]byte
	number := strconv.AppendUint(scratch[:0], n, 10)
	for range width - len(number) {
		text = append(text, '0')
	}
	return append(text, number...)
}

func (l *hostList) append(name string, at int, slots int32) *input.Error {
	if before, ok := l.seen[name]; ok {
		if h := &l.hosts[before]; l.lines && slots == 0 && (h.Slots == 0 || l.counted[before]) {
			h.Slots, l.counted[before] = max(h.Slots, 1)+1, true
			return nil
		}
		return &input.Error{Column: at + 1, Reason: fmt.Sprintf("host %s is named twice", clip(name))}
	}
	if len(l.hosts) >= l.limit {
		return &input.Error{Column: at + 1, Reason: fmt.Sprintf("more than %d hosts", l.limit)}
	}
	l.seen[name] = len(l.hosts)
	l.hosts = append(l.hosts, HostSlots{name, slots})
	return nil
}

// FormatHostList is the short form of a list of names, in their order:
// neighbours that differ only in a number at the end share a bracket. It is
// the inverse of ParseHostList for names without blanks, commas, colons and
// brackets.
func FormatHostList(names []string) string {
	var b strings.Builder
	for i := 0; i < len(names); {
		if i > 0 {
			b.WriteByte(',')
		}
		stem := numberStem(names[i])
		end := i + 1
		for end < len(names) && len(stem) < len(names[i]) && numberStem(names[end]) == stem &&
			len(names[end]) > len(stem) {
			end++
		}
		if end == i+1 {
			b.WriteString(names[i])
		} else {
			b.WriteString(stem)
			formatSpans(&b, names[i:end], len(stem))
		}
		i = end
	}
	return b.String()
}

// numberStem is the name without the number at its end; all of it when that
// number is too long for a bracket.
func numberStem(name string) string {
	stem := strings.TrimRight(name, "0123456789")
	if len(name)-len(stem) > 18 {
		return name
	}
	return stem
}

func formatSpans(b *strings.Builder, names []string, stem int) {
	separator := byte('[')
	for i := 0; i < len(names); {
		low := names[i][stem:]
		n, _ := strconv.ParseUint(low, 10, 64)
		end := i + 1
		for end < len(names) && names[end][stem:] == string(appendPadded(nil, n+uint64(end-i), len(low))) {
			end++
		}
		b.WriteByte(separator)
		b.WriteString(low)
		if end > i+1 {
			b.WriteByte('-')
			b.WriteString(names[end-1][stem:])
		}
		separator = ','
		i = end
	}
	b.WriteByte(']')
}
