package main

import (
	"fmt"
	"strings"

	"remap"
	"remap/evalsim"
	"remap/picture"
	htmlreport "remap/report"
)

// page is the simulation as HTML.
func (s *simulation) page(p *program, j *remap.Environment, results []*evalsim.Result) (*htmlreport.Page,
	error) {
	page := p.newPage(j, p.repeats, s)
	interval := ""
	if s.ElapsedNSLow != nil && s.ElapsedNSHigh != nil {
		interval = fmt.Sprintf(", 95 %% interval %s to %s us", micro(*s.ElapsedNSLow), micro(*s.ElapsedNSHigh))
	}
	page.Verdict = sentences(fmt.Sprintf("with the mapping %s a step of the job's communication takes "+
		"%s us (simulated%s)", s.Strategy, micro(s.ElapsedNS), interval),
		fmt.Sprintf("%.1f %% of the switch ports that packets crossed were congested", 100*s.CongestedHopFraction),
		verdict(j.Job, results))
	panels := []picture.Panel{{Heading: s.Strategy, View: exactView(j.Machine, results)}}
	var err error
	if page.Network, err = pageNetwork(j.Machine, "Where the network is congested", len(j.Background),
		panels...); err != nil {
		return nil, err
	}
	r := s.report(j.Job, results)
	table := pageTable("Result", tableText, &r.table)
	addBars(&table, []*evalsim.Summary{&s.Summary})
	page.Tables = append(page.Tables, table)
	if jobs := jobsTable(s.Jobs); len(jobs.rows) > 0 {
		for i := range jobs.rows {
			jobs.rows[i][0], _, _ = strings.Cut(jobs.rows[i][0], "@") // the hosts are in the command
		}
		table := pageTable("Jobs in the network", "The job of interest first.", &jobs)
		var rows []*evalsim.Summary
		for i := range s.Jobs {
			rows = append(rows, &evalsim.Summary{ElapsedNS: s.Jobs[i].ElapsedNS,
				ElapsedNSLow: s.Jobs[i].ElapsedNSLow, ElapsedNSHigh: s.Jobs[i].ElapsedNSHigh})
		}
		addBars(&table, rows)
		page.Tables = append(page.Tables, table)
	}
	page.Tables = append(page.Tables, congestedTables(j.Machine, panels)...)
	page.Facts = append(page.Facts, htmlreport.Fact{Name: "Use of links",
		Value: sentence(utilizationLine(&s.Utilization))})
	return page, nil
}
