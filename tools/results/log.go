package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// entry is one t.Log of a test: its lines without the file's name and the indentation.
type entry struct {
	test  string
	lines []string
}

// top is the test that the entry's test is part of.
func (e entry) top() string {
	name, _, _ := strings.Cut(e.test, "/")
	return name
}

// rows counts the rows of the entry's tables; header and separator of a table are none.
func (e entry) rows() int {
	count := 0
	for i, line := range e.lines {
		isHead := i+1 < len(e.lines) && isSeparator(e.lines[i+1])
		if isRow(line) && !isSeparator(line) && !isHead {
			count++
		}
	}
	return count
}

// headed tells whether the entry holds the head of a table.
func (e entry) headed() bool { return slices.ContainsFunc(e.lines, isSeparator) }

func isRow(line string) bool { return strings.HasPrefix(line, "|") }

// isSeparator tells whether a line is the one below a table's head, as |---|:-:|.
func isSeparator(line string) bool {
	return isRow(line) && strings.Contains(line, "---") && strings.Trim(line, "|-: ") == ""
}

// testLog is what one `go test -json` told.
type testLog struct {
	entries []entry
	skipped map[string]bool
	trouble []string // lines of tests that failed or were skipped, and of the build
}

// event is a line of `go test -json` (cmd/test2json).
type event struct {
	Action, Test, Output string
}

var logStart = regexp.MustCompile(`^ *[A-Za-z0-9_]+\.go:[0-9]+: `)

// readTests splits the output of `go test -json` into what tests logged. Lines that no t.Log
// wrote, as "=== RUN" and what a test prints, are left out.
func readTests(text string) (*testLog, error) {
	log := &testLog{skipped: map[string]bool{}}
	said, failed := map[string][]string{}, map[string]bool{}
	open := map[string]int{} // the entry of a test that lines continue, by test
	part := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var e event
		if err := decoder.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return log, fmt.Errorf("go test -json: %w", err)
		}
		switch e.Action {
		case "skip":
			log.skipped[e.Test] = true
		case "fail":
			failed[e.Test] = true
		case "build-output":
			log.trouble = append(log.trouble, e.Output)
		case "output": // long lines come in parts
			line, whole := strings.CutSuffix(part[e.Test]+e.Output, "\n")
			if part[e.Test] = line; !whole {
				continue
			}
			part[e.Test] = ""
			said[e.Test] = append(said[e.Test], line+"\n")
			log.add(open, e.Test, line)
		}
	}
	for test, lines := range said {
		if failed[test] || log.skipped[test] {
			log.trouble = append(log.trouble, lines...)
		}
	}
	return log, nil
}

// add takes a line of a test: the first of a log, one that continues it, or another.
func (log *testLog) add(open map[string]int, test, line string) {
	at, continued := open[test]
	switch start := logStart.FindString(line); {
	case test == "":
	case start != "":
		open[test] = len(log.entries)
		log.entries = append(log.entries, entry{test, []string{strings.TrimRight(line[len(start):], " ")}})
	case continued && strings.HasPrefix(line, "        "):
		log.entries[at].lines = append(log.entries[at].lines, strings.TrimRight(line[8:], " "))
	case continued && line == "":
		log.entries[at].lines = append(log.entries[at].lines, "")
	default:
		delete(open, test)
	}
}

// told are the logs that a page shows: none of skipped tests, and none of the subtests of a
// test that logged a table with rows itself, which has those of its subtests. The logs of a
// test stand together, as if no other had run beside it.
func (log *testLog) told() []entry {
	whole := map[string]bool{}
	for _, e := range log.entries {
		whole[e.test] = whole[e.test] || e.rows() > 0
	}
	hidden := func(e entry) bool {
		if log.skipped[e.test] {
			return true
		}
		for name := e.test; strings.Contains(name, "/"); {
			name = name[:strings.LastIndex(name, "/")]
			if whole[name] {
				return true
			}
		}
		return false
	}
	entries := slices.DeleteFunc(slices.Clone(log.entries), hidden)
	order := map[string]int{}
	for _, e := range entries {
		if _, known := order[e.top()]; !known {
			order[e.top()] = len(order)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return order[a.top()] - order[b.top()] })
	return entries
}
