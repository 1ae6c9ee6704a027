package main

import (
	"fmt"

	"remap"
	"remap/evalsim"
	"remap/picture"
	htmlreport "remap/report"
)

// page is the comparison as HTML.
func (c *comparison) page(p *program, j *remap.Environment) (*htmlreport.Page, error) {
	page := p.newPage(j, p.repeats, c)
	best := c.best()
	page.Verdict = sentences(append(c.verdict(best),
		hostBoundSentence(c.HostBound, c.Rows[best].ElapsedNS))...)
	page.Verdict = append(page.Verdict, sentences(c.Warnings...)...)
	var err error
	panels := []picture.Panel{{Heading: "First row: " + c.Rows[0].Strategy, View: c.Rows[0].seen}}
	if best > 0 {
		panels = append(panels, picture.Panel{Heading: "Fastest: " + c.Rows[best].Strategy,
			View: c.Rows[best].seen})
	}
	if page.Network, err = pageNetwork(j.Machine, "Where the network is congested", len(j.Background),
		panels...); err != nil {
		return nil, err
	}
	page.Tables = congestedTables(j.Machine, panels)
	r := c.report(j)
	table := pageTable("Strategies", tableText+" Ratio: elapsed over that of the first row.", &r.table)
	var rows []*evalsim.Summary
	for i := range c.Rows {
		rows = append(rows, &c.Rows[i].Summary)
	}
	addBars(&table, rows)
	page.Tables = append([]htmlreport.Table{table}, page.Tables...)
	if len(c.Skipped) > 0 {
		skipped := grid{header: []string{"strategy", "why"}}
		for _, s := range c.Skipped {
			skipped.add(s.Strategy, s.Reason)
		}
		page.Tables = append(page.Tables, leftTable("Strategies that cannot map this job", &skipped))
	}
	return page, nil
}

// best is the fastest row, of equal ones the first.
func (c *comparison) best() int {
	best := 0
	for i := range c.Rows {
		if c.Rows[i].ElapsedNS < c.Rows[best].ElapsedNS {
			best = i
		}
	}
	return best
}

// verdict says which strategy is the fastest, and whether another may be as fast.
func (c *comparison) verdict(best int) []string {
	row, first := &c.Rows[best], &c.Rows[0]
	if len(c.Rows) == 1 {
		return []string{fmt.Sprintf("with strategy %s a step of the job's communication takes %s us (simulated)",
			row.Strategy, micro(row.ElapsedNS))}
	}
	text := fmt.Sprintf("the fastest of %d strategies is %s: a step of the job's communication takes %s us "+
		"(simulated)", len(c.Rows), row.Strategy, micro(row.ElapsedNS))
	if best > 0 && first.ElapsedNS > row.ElapsedNS {
		text += fmt.Sprintf(", %s less than with %s", spared(first.ElapsedNS, row.ElapsedNS), first.Strategy)
	}
	var near []string
	for i := range c.Rows {
		other := &c.Rows[i]
		if i != best && row.ElapsedNSHigh != nil && other.ElapsedNSLow != nil &&
			*other.ElapsedNSLow <= *row.ElapsedNSHigh {
			near = append(near, other.Strategy)
		}
	}
	if len(near) > 0 {
		return []string{text, "by their 95 % intervals, " + someOf(near) + " may be as fast: more --repeats may " +
			"tell them apart"}
	}
	return []string{text}
}

// leftTable is a table of text alone.
func leftTable(title string, g *grid) htmlreport.Table {
	t := pageTable(title, "", g)
	for i := range t.Columns {
		t.Columns[i].Left = true
	}
	return t
}
