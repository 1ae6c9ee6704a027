package launcher

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
)

const (
	geometryName = "LSB_TASK_GEOMETRY"
	geometryHint = `the file reads: LSB_TASK_GEOMETRY="{(2,5,7)(0,6)}", one pair of parentheses a host`
)

// writeGeometry writes LSF's task geometry as an assignment of a shell: the ranks of every host that has
// some, in the order of the hosts.
func writeGeometry(w *bufio.Writer, p *Placement, _ Options) error {
	fmt.Fprintf(w, "%s=\"{", geometryName)
	for _, ranks := range p.byHost() {
		for i, r := range ranks {
			separator := ","
			if i == 0 {
				separator = "("
			}
			fmt.Fprintf(w, "%s%d", separator, r)
		}
		if len(ranks) > 0 {
			fmt.Fprint(w, ")")
		}
	}
	fmt.Fprintln(w, "}\"")
	return nil
}

// readGeometry reads a task geometry, with or without the name of the variable. The n-th group is that
// of the job's n-th host.
func readGeometry(s *source, to mapping.Reader) error {
	raw, err := readNumbered(s)
	if err != nil {
		return err
	}
	g := geometry{source: s, text: withoutComments(raw)}
	for _, word := range []string{"export", "setenv", geometryName, "="} {
		g.take(word)
	}
	quote := ""
	for _, mark := range []string{`"`, "'"} {
		if g.take(mark) {
			quote = mark
		}
	}
	if !g.take("{") {
		return g.fail("the geometry does not begin with {")
	}
	var ranks int64
	for group := 0; !g.take("}"); group++ {
		count, err := g.group(group, to)
		if err != nil {
			return err
		}
		ranks += count
	}
	if quote != "" && !g.take(quote) {
		return g.fail("the %s that the geometry begins with does not end it", quote)
	}
	if g.skip(); g.at < len(g.text) {
		return g.fail("text behind the end of the geometry")
	}
	return s.end(ranks)
}

// withoutComments blanks out what follows a #, so that places stay what they are.
func withoutComments(text []byte) string {
	comment := false
	return string(bytes.Map(func(r rune) rune {
		if r == '\n' {
			comment = false
		}
		if comment = comment || r == '#'; comment {
			return ' '
		}
		return r
	}, text))
}

// geometry walks a task geometry.
type geometry struct {
	*source
	text string
	at   int

	newlines, counted, lineStart int // of text[:counted]
}

// position is the line and the column of the place in hand, which never goes back.
func (g *geometry) position() (line, column int) {
	for ; g.counted < g.at; g.counted++ {
		if g.text[g.counted] == '\n' {
			g.newlines, g.lineStart = g.newlines+1, g.counted+1
		}
	}
	return g.newlines + 1, g.at - g.lineStart + 1
}

func (g *geometry) skip() {
	for g.at < len(g.text) && strings.IndexByte(" \t\r\n", g.text[g.at]) >= 0 {
		g.at++
	}
}

// take goes behind a word that stands next.
func (g *geometry) take(word string) bool {
	g.skip()
	if !strings.HasPrefix(g.text[g.at:], word) {
		return false
	}
	g.at += len(word)
	return true
}

// fail is an error at the place in hand.
func (g *geometry) fail(format string, args ...any) error {
	line, column := g.position()
	return &input.Error{File: g.file, Line: line, Column: column, Reason: fmt.Sprintf(format, args...),
		Hint: geometryHint}
}

// group reads the ranks of one host.
func (g *geometry) group(number int, to mapping.Reader) (ranks int64, err error) {
	if !g.take("(") {
		return 0, g.fail("group %d does not begin with (", number)
	}
	host, err := to.Host(number)
	if err != nil {
		line, column := g.position()
		return 0, misplaced(g.source, line, column, err)
	}
	for {
		g.skip()
		end := g.at
		for end < len(g.text) && g.text[end] >= '0' && g.text[end] <= '9' {
			end++
		}
		rank, err := linescan.Whole(g.text[g.at:end])
		if err != nil {
			return 0, g.fail("a rank of group %d is missing or not a whole number below 2^31", number)
		}
		line, column := g.position()
		e := mapping.RankPlace{Rank: rank, Host: host, Slot: to.Free(host), Line: line, RankColumn: column,
			HostColumn: column, SlotColumn: column}
		if err := to.Add(e); err != nil {
			return 0, err
		}
		ranks, g.at = ranks+1, end
		if g.take(")") {
			return ranks, nil
		}
		if !g.take(",") {
			return 0, g.fail("group %d does not end with )", number)
		}
	}
}
