package main

import (
	"context"
	"fmt"
	"slices"

	"remap"
	"remap/evalsim"
	"remap/feedback"
	"remap/picture"
	htmlreport "remap/report"
)

// page is the search as HTML. The mappings before and after are simulated once more, for the pictures,
// unless ctx has ended.
func (o *searchResult) page(ctx context.Context, p *program, j *remap.Environment, s evalsim.Options,
	found *feedback.Result, check *modelCheck) (*htmlreport.Page, error) {
	page := p.newPage(j, o.Best.Repeats, o)
	page.Facts = append(page.Facts, htmlreport.Fact{Name: "Search", Value: fmt.Sprintf("%s; links read from "+
		"%s; it ended: %s", countOf(o.Simulations, "simulated mapping"), o.View, o.Stopped)})
	page.Verdict = o.verdict(ctx, found)
	if err := o.addPictures(ctx, page, p, j, s, found); err != nil {
		return nil, err
	}
	table := pageTable("Before and after", tableText+" Best static: the best mapping without feedback. Random "+
		"restarts: the best of as many simulated mappings without feedback. Ratio: elapsed over that before.",
		o.table())
	var rows []*evalsim.Summary
	for _, row := range o.shown() {
		rows = append(rows, &row.row.Summary)
	}
	addBars(&table, rows)
	page.Tables = append([]htmlreport.Table{table}, page.Tables...)
	if moves := movesTable(o.Moves); len(moves.rows) > 0 {
		page.Tables = append(page.Tables, pageTable("Gain by moved ranks", sentence(p.movesSentence(o.Moves)),
			&moves))
	}
	if models := check.table(); len(models.rows) > 0 {
		page.Tables = append(page.Tables, pageTable("Under other models", sentence(check.under()), &models))
	}
	var err error
	page.Chart, err = convergence(found)
	return page, err
}

// verdict says in sentences what was found, and what it is worth.
func (o *searchResult) verdict(ctx context.Context, found *feedback.Result) []string {
	first := fmt.Sprintf("no placement was found that is faster than the one before: a step of the job's "+
		"communication takes %s us (simulated)", micro(o.Start.ElapsedNS))
	if !slices.Equal(found.Best.Mapping, found.Start.Mapping) {
		how := "placing the ranks otherwise"
		if o.Best.MovedRanks > 0 {
			how = fmt.Sprintf("running %d of %s on other hosts", o.Best.MovedRanks, countOf(o.Best.Ranks, "rank"))
		}
		first = fmt.Sprintf("%s shortens a step of the job's communication by %s: %s us instead of %s us "+
			"(simulated)", how, spared(o.Start.ElapsedNS, o.Best.ElapsedNS), micro(o.Best.ElapsedNS),
			micro(o.Start.ElapsedNS))
	}
	end, unproven := "", ""
	var gain []string
	if o.Interrupted {
		end = "the budget was used up"
		if ctx.Err() != nil {
			end = "the search was interrupted"
		}
		end += ": this is the best of " + countOf(o.Simulations, "simulated mapping")
	}
	if found.Fresh {
		gain = pageGain(found)
	} else {
		unproven = "these are times of the search itself: there was no time to evaluate the mappings again on " +
			"fresh seeds, so nothing is proven"
	}
	remarks := slices.Concat([]string{first, end, unproven}, gain,
		[]string{boundSentence(found.Bound, o.Best.ElapsedNS)}, o.Warnings)
	return sentences(remarks...)
}

// addPictures draws the network before and after.
func (o *searchResult) addPictures(ctx context.Context, page *htmlreport.Page, p *program,
	j *remap.Environment, s evalsim.Options, found *feedback.Result) error {
	same := slices.Equal(found.Best.Mapping, found.Start.Mapping)
	var panels []picture.Panel
	headings := []string{"Before: " + o.Start.Strategy, "After: " + o.Best.Strategy}
	for i, c := range []*feedback.Candidate{&found.Start, &found.Best} {
		if i == 1 && same {
			break
		}
		if ctx.Err() != nil {
			page.Network = &htmlreport.Network{Title: "Before and after",
				Text: []string{"The run was interrupted, so the network was not drawn."}}
			return nil
		}
		e, err := j.Simulator(s.Unsampled())(ctx, c.Mapping, 0, 1)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil {
			panels = append(panels, picture.Panel{Heading: headings[i], View: exactView(j.Network(), e.Results)})
		}
	}
	if ctx.Err() != nil {
		return o.addPictures(ctx, page, p, j, s, found)
	}
	var err error
	page.Network, err = pageNetwork(j.Network(), "The network before and after", len(j.Beside()), panels...)
	page.Tables = congestedTables(j.Network(), panels)
	return err
}
