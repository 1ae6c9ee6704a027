package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/evalsim"
	htmlreport "remap/report" // the type report of this package is a table with its JSON
)

func (s *settings) reportFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "report", Destination: &s.page,
		Usage: "write what was found as one HTML page to a `FILE`: verdict, pictures of the network, tables that " +
			"sort, the command to repeat it; it needs no network"}}
}

// openPage checks the file of --report, which must be another than the other outputs; nil without
// the option.
func (p *program) openPage(others ...namedOutput) (*output, error) {
	const hint = "for example --report run.html: standard output has the results"
	switch {
	case !p.context.IsSet("report"):
		return nil, nil
	case p.page == "" || p.page == "-":
		return nil, usage(hint, "--report needs a file")
	}
	page, err := p.openOutput(p.page)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if err := differ(other, namedOutput{"report", page}); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// writePage writes the page of --report; nil = there is none.
func (p *program) writePage(out *output, make func() (*htmlreport.Page, error)) error {
	if out == nil {
		return nil
	}
	page, err := make()
	if err != nil {
		return err
	}
	if err := out.write(func(w io.Writer) error { return page.Write(w) }); err != nil {
		return err
	}
	p.clock.lap("report")
	return nil
}

// newPage is a page with what all commands tell: what ran, and how to repeat it.
func (p *program) newPage(j *remap.Environment, repeats int, value any) *htmlreport.Page {
	b := thisBuild()
	page := &htmlreport.Page{Kind: p.name, Value: value, Seed: p.Seed,
		Title: fmt.Sprintf("%s of %s on a network of %s", countOf(j.Traffic.Ranks(), "rank"), j.Name,
			countOf(j.Machine.Hosts(), "host")),
		Command: htmlreport.Command(append([]string{"remap"}, p.args[1:]...)...),
		Version: strings.TrimSpace("remap " + b.Version + " " + b.Revision)}
	fact := func(name, format string, args ...any) {
		page.Facts = append(page.Facts, htmlreport.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if p.scenario != "" {
		fact("Scenario", "%s", p.scenario)
	}
	fact("Job", "%s, %s", j.Name, countOf(j.Traffic.Ranks(), "rank"))
	hosts := []string{}
	for _, h := range j.Allocation.Hosts {
		hosts = append(hosts, j.Machine.HostNames[h])
	}
	fact("Hosts of the job", "%d: %s", len(hosts), someOf(hosts))
	fact("Network", "%s: %s", j.Machine.Name, j.Machine.Summary())
	if degraded := slices.Concat(p.fail.Value(), p.slow.Value()); len(degraded) > 0 {
		fact("Failed and slowed links", "%s", someOf(degraded))
	}
	for i := range j.Background {
		pattern, _, _ := strings.Cut(j.Background[i].Name, "@")
		fact("Other job", "%s, %s", pattern, countOf(j.Background[i].Program.Ranks(), "rank"))
	}
	if files := p.measuredFiles.Value(); len(files) > 0 {
		fact("Measured network", "%s", someOf(files))
	}
	fact("Simulation", "%s of each mapping, %s routing, packets of %d bytes", countOf(repeats, "repeat"),
		p.Routing, p.PacketBytes)
	if text := scaled(j.Job); text != "" {
		fact("Volume", "%s", text)
	}
	return page
}

// someOf lists names, of many the first and the last.
func someOf(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:4], ", ") + ", ... " + names[len(names)-1]
	}
	return strings.Join(names, ", ")
}

// sentence makes one of a remark that begins small and ends without a full stop; lines become one.
func sentence(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// sentences are those of remarks that are not empty.
func sentences(remarks ...string) []string {
	var all []string
	for _, remark := range remarks {
		if remark != "" {
			all = append(all, sentence(remark))
		}
	}
	return all
}

// pageTable is a table of the page, with the same columns as for people on a terminal.
func pageTable(title, text string, g *grid) htmlreport.Table {
	t := htmlreport.Table{Title: title, Text: text}
	for i, name := range g.header {
		t.Columns = append(t.Columns, htmlreport.Column{Name: name, Left: i == 0})
	}
	for _, row := range g.rows {
		var cells []htmlreport.Cell
		for _, text := range row {
			cells = append(cells, htmlreport.TextCell(text))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// addBars puts a column of times with their intervals behind a table's columns.
func addBars(t *htmlreport.Table, rows []*evalsim.Summary) {
	values, low, high := make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	for i, s := range rows {
		values[i] = float64(s.ElapsedNS) / 1000
		low[i], high[i] = values[i], values[i]
		if s.ElapsedNSLow != nil && s.ElapsedNSHigh != nil {
			low[i], high[i] = float64(*s.ElapsedNSLow)/1000, float64(*s.ElapsedNSHigh)/1000
		}
	}
	t.Columns = append(t.Columns, htmlreport.Column{Name: "elapsed, from 0", Left: true})
	for i, cell := range htmlreport.BarCells(values, low, high, "us") {
		t.Rows[i] = append(t.Rows[i], cell)
	}
}

// tableText says what the columns of simulated mappings are.
const tableText = "Elapsed is the time of a step of the job's communication, in microseconds (us): the " +
	"median of repeats, with its 95 % interval. Path length: switches that a byte crosses, as a mean. Cut: " +
	"bytes that leave their leaf switch. Max link: the longest time that a link needs for its bytes. Moved: " +
	"ranks on another host than before. Congested: switch ports that packets found congested."

// spared is how much less one time is than another, for people.
func spared(before, after int64) string {
	return strconv.FormatFloat(100*(1-float64(after)/float64(before)), 'f', 1, 64) + " %"
}
