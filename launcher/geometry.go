package launcher

import (
	"bufio"
	"fmt"
	"strings"

	"remap/input"
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
	var kept []string // without comments
	for line := range strings.SplitSeq(string(raw), "\n") {
		line, _, _ = strings.Cut(line, "#")
		kept = append(kept, line)
	}
	text := strings.Join(kept, " ")
	text = strings.TrimSpace(text)
	for _, prefix := range []string{"export ", "setenv ", geometryName, "="} {
		text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
	}
	text = strings.Trim(text, `"'`)
	fail := func(format string, args ...any) error {
		return &input.Error{File: s.file, Line: 1, Reason: fmt.Sprintf(format, args...), Hint: geometryHint}
	}
	inside, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if inside, _, ok = cutSuffix(inside, "}", ok); !ok {
		return fail("the geometry does not stand between { and }")
	}
	var ranks int64
	for group := 0; strings.TrimSpace(inside) != ""; group++ {
		list, found := strings.CutPrefix(strings.TrimSpace(inside), "(")
		list, rest, closed := cutSuffix(list, ")", found)
		if !closed {
			return fail("group %d does not stand between ( and )", group)
		}
		inside = rest
		host, err := to.Host(group)
		if err != nil {
			return misplaced(s, 0, err)
		}
		for word := range strings.SplitSeq(list, ",") {
			rank, err := whole(strings.TrimSpace(word))
			if err != nil {
				return fail("rank %q of group %d is not a whole number", clip(word), group)
			}
			if err := to.Add(mapping.RankPlace{Rank: rank, Host: host, Slot: to.Free(host), Line: 1}); err != nil {
				return err
			}
			ranks++
		}
	}
	return s.end(ranks)
}

// cutSuffix splits a text at the first mark, if what came before it was fine.
func cutSuffix(text, mark string, fine bool) (before, after string, found bool) {
	if !fine {
		return "", "", false
	}
	return strings.Cut(text, mark)
}
