package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"remap"
	"remap/evalsim"
	"remap/job"
	"remap/mapping"
)

// outcome is a mapping's costs with its simulation beside: one flat JSON object.
type outcome struct {
	mapping.Costs
	evalsim.Summary
	Jobs []job.Times `json:"jobs,omitempty"` // the job of interest first; nil when it is alone
}

// fill adds what the job of interest has seen, and every job's times.
func (s *outcome) fill(j *remap.Environment, results []*evalsim.Result) {
	s.Summary = evalsim.Summarize(evalsim.FirstJob(results))
	s.Jobs = j.Times(results)
}

// grid is a table of text; the first column is text, the others are numbers.
type grid struct {
	header []string
	rows   [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// leastImportant are the columns that a narrow terminal does without, in this order.
var leastImportant = []string{"moved", "max link us", "cut %", "alone congested %", "ranks", "start us"}

// fit leaves out columns until the table as text is at most width wide; 0 = any
// width.
func (g *grid) fit(width int) {
	for _, name := range leastImportant {
		if width == 0 || g.width() <= width {
			return
		}
		if at := slices.Index(g.header, name); at >= 0 {
			g.header = slices.Delete(slices.Clone(g.header), at, at+1)
			for i := range g.rows {
				g.rows[i] = slices.Delete(slices.Clone(g.rows[i]), at, at+1)
			}
		}
	}
}

// width is that of the table as text.
func (g *grid) width() int {
	var b strings.Builder
	g.render(&b, "text") // a builder never fails
	return text.LongestLineLen(b.String())
}

// render writes the table as text or markdown.
func (g *grid) render(w io.Writer, format string) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.Options{SeparateHeader: true}
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(asRow(g.header))
	columns := []table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}}
	for i := range g.header[1:] {
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: text.AlignRight,
			AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	for _, row := range g.rows {
		t.AppendRow(asRow(row))
	}
	out := ""
	if format == "markdown" {
		out = t.RenderMarkdown()
	} else {
		out = t.Render()
	}
	_, err := fmt.Fprintln(w, out)
	return err
}

func asRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, c := range cells {
		row[i] = c
	}
	return row
}

// staticHeader and staticCells are the columns of static costs for people.
var staticHeader = []string{"path length", "cut %", "max link us", "moved"}

func staticCells(c *mapping.Costs) []string {
	return []string{fmt.Sprintf("%.4f", c.AvgPathLength), fmt.Sprintf("%.2f", 100*c.CutFraction),
		fmt.Sprintf("%.2f", 1e6*c.MaxLinkSeconds), strconv.Itoa(c.MovedRanks)}
}

// timeHeader and timeCells are the columns of a simulation for people.
var timeHeader = []string{"elapsed us", "95 % interval", "congested %"}

func timeCells(s *evalsim.Summary) []string {
	interval := "-"
	if s.ElapsedNSLow != nil && s.ElapsedNSHigh != nil {
		interval = fmt.Sprintf("[%s, %s]", micro(*s.ElapsedNSLow), micro(*s.ElapsedNSHigh))
	}
	return []string{micro(s.ElapsedNS), interval, fmt.Sprintf("%.3f", 100*s.CongestedHopFraction)}
}

func micro(ns int64) string { return fmt.Sprintf("%.3f", float64(ns)/1000) }

// writeJSON writes one value, and nothing else, to stdout.
func (p *program) writeJSON(value any) error {
	return (&output{stdout: p.stdout}).write(func(w io.Writer) error { return encodeJSON(w, value) })
}

func encodeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
