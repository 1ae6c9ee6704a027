package main

import (
	"fmt"
	"strings"
)

// logMarkdown writes logs as Markdown: tables and headings as they are, one line of other
// text as a paragraph, several as an indented block. The logs of a subtest with a table have
// the subtest's name as heading; where several tests logged, each has its own.
// Rows that are logged one by one make one table.
func logMarkdown(entries []entry) string {
	var out strings.Builder
	unnamed := map[string]bool{} // subtests with tables whose heading is not written yet
	for _, e := range entries {
		if e.headed() && strings.Contains(e.test, "/") {
			unnamed[e.test] = true
		}
	}
	table := false // the last line written is one of a table
	many, last := len(entries) > 0 && entries[0].top() != entries[len(entries)-1].top(), ""
	for _, e := range entries {
		if many && e.top() != last {
			last, table = e.top(), false
			fmt.Fprintf(&out, "\n## %s\n", strings.TrimPrefix(last, "Test"))
		}
		if unnamed[e.test] {
			delete(unnamed, e.test)
			_, name, _ := strings.Cut(e.test, "/")
			fmt.Fprintf(&out, "\n## %s\n", strings.ReplaceAll(name, "_", " "))
			table = false
		}
		for _, run := range runs(e.lines) {
			if isRow(run[0]) {
				if !table || len(run) > 1 && isSeparator(run[1]) {
					out.WriteString("\n")
				}
				writeRows(&out, run)
				table = true
				continue
			}
			out.WriteString("\n")
			writeText(&out, run)
			table = false
		}
	}
	return out.String()
}

// writeRows writes rows of a table; a further table right below begins after a blank line.
func writeRows(out *strings.Builder, rows []string) {
	for i, row := range rows {
		if i > 0 && i+1 < len(rows) && isSeparator(rows[i+1]) {
			out.WriteString("\n")
		}
		out.WriteString(row + "\n")
	}
}

// writeText writes a heading or a line as it is, more lines as a block.
func writeText(out *strings.Builder, lines []string) {
	if len(lines) == 1 {
		out.WriteString(lines[0] + "\n")
		return
	}
	for _, line := range lines {
		out.WriteString("    " + line + "\n")
	}
}

// runs splits lines at blank ones, at headings, and where tables begin and end.
func runs(lines []string) [][]string {
	var list [][]string
	last := "" // kind of the line before
	for _, line := range lines {
		kind := "text"
		switch {
		case strings.TrimSpace(line) == "":
			kind = ""
		case isRow(line):
			kind = "table"
		case strings.HasPrefix(line, "#"):
			kind = "heading"
		}
		if kind != "" && (kind != last || kind == "heading") {
			list = append(list, nil)
		}
		if kind != "" {
			list[len(list)-1] = append(list[len(list)-1], line)
		}
		last = kind
	}
	return list
}

// blockMarkdown writes the output of a program: Markdown tables as they are, the rest as an
// indented block.
func blockMarkdown(text string) string {
	var out strings.Builder
	table := false
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		line = strings.TrimRight(line, " \n")
		if isRow(line) != table {
			table = !table
			out.WriteString("\n")
		}
		if line != "" && !table {
			line = "    " + line
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
