package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/sync/errgroup"

	"remap/evalsim"
	"remap/mapping"
	"remap/strategy"
)

const compareDefault = "identity,random,rcm,bisection,multisection,kl,tiling"

const compareExamples = `
  remap compare --topology tapered --pattern stencil2d:64x72
  remap compare --topology torus:4x4x4 --pattern stencil3d7:4x4x4 --strategies identity,rcm+kl,tiling --format markdown
`

// compared is a row of compare.
type compared struct {
	simulated
	Ratio float64 `json:"ratio"` // of elapsed_ns to the first row's
}

// comparison is the JSON of compare.
type comparison struct {
	Rows        []compared         `json:"rows"`
	VolumeScale float64            `json:"volume_scale"`
	Skipped     []skipped          `json:"skipped,omitempty"`
	Timing      map[string]float64 `json:"timing,omitempty"`
}

// skipped is a strategy that cannot map this job.
type skipped struct {
	Strategy string `json:"strategy"`
	Reason   string `json:"reason"`
}

func (p *program) compare(ctx context.Context) error {
	format, err := p.tableFormat()
	if err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	options, err := p.simulation()
	if err != nil {
		return err
	}
	strategies, err := strategy.ParseList(p.strategies)
	if err != nil {
		return inOption("strategies", err)
	}
	j, err := p.load()
	if err != nil {
		return err
	}
	result, err := p.rows(ctx, j, strategies, options)
	if err != nil {
		return err
	}
	result.Timing = p.timingFields()
	if format != "json" {
		p.sayTiming()
	}
	return out.write(func(w io.Writer) error { return result.write(w, format, j) })
}

func (p *program) tableFormat() (string, error) {
	if p.json {
		return "json", nil
	}
	switch p.format {
	case "text", "markdown", "csv", "json":
		return p.format, nil
	}
	return "", usage("formats: text, markdown, csv, json", "--format: unknown format %q", p.format)
}

// rows maps by every strategy, several at a time, then simulates one mapping
// after the other, repeats at a time.
func (p *program) rows(ctx context.Context, j *job, strategies []mapping.Strategy, o evalsim.Options) (*comparison, error) {
	mappings, reasons := make([]mapping.Mapping, len(strategies)), make([]error, len(strategies))
	var group errgroup.Group
	group.SetLimit(p.workers)
	for i, s := range strategies {
		group.Go(func() error {
			mappings[i], reasons[i] = s.Map(ctx, j.problem(p.seed))
			return nil
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.clock.lap("map")
	result := &comparison{VolumeScale: j.program.VolumeScale}
	meter := p.newMeter("simulating", p.repeats*len(strategies))
	defer meter.stop()
	for i, s := range strategies {
		if reasons[i] != nil {
			result.Skipped = append(result.Skipped, skipped{s.Name, reasons[i].Error()})
			p.say("skipped: strategy %s: %v", s.Name, reasons[i])
			continue
		}
		row, err := p.row(ctx, j, s.Name, mappings[i], o, meter)
		if err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, row)
	}
	p.clock.lap("simulate")
	if len(result.Rows) == 0 {
		return nil, inStrategy(strategies[0].Name, reasons[0])
	}
	for i := range result.Rows {
		if first := result.Rows[0].ElapsedNS; first > 0 {
			result.Rows[i].Ratio = float64(result.Rows[i].ElapsedNS) / float64(first)
		}
	}
	return result, nil
}

func (p *program) row(ctx context.Context, j *job, name string, m mapping.Mapping, o evalsim.Options, meter *meter) (compared, error) {
	var row compared
	var err error
	if row.Costs, err = j.costs(name, m); err != nil {
		return row, err
	}
	results, err := evalsim.Repeat(ctx, j.machine, j.asJobs(m), o, p.repeats, p.workers, meter.step)
	if err != nil {
		return row, err
	}
	row.Summary = evalsim.Summarize(results)
	return row, nil
}

func (c *comparison) write(w io.Writer, format string, j *job) error {
	switch format {
	case "json":
		return encodeJSON(w, c)
	case "csv":
		return c.writeCSV(w)
	}
	g := grid{header: append(simulatedHeader("strategy"), "ratio")}
	for i := range c.Rows {
		g.add(append(c.Rows[i].cells(), fmt.Sprintf("%.3f", c.Rows[i].Ratio))...)
	}
	if err := g.render(w, format); err != nil {
		return err
	}
	if floor, ok := j.floor(); ok {
		_, err := fmt.Fprintf(w, "\nno mapping is faster than %s us: the busiest rank's messages at the full rate of a host\n", micro(floor.Nanoseconds()))
		return err
	}
	return nil
}

// writeCSV has the names and the digits of the JSON.
func (c *comparison) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"strategy", "ranks", "avg_path_length", "hop_bytes", "cut_fraction", "max_link_seconds", "moved_ranks",
		"repeats", "elapsed_ns", "elapsed_ns_low", "elapsed_ns_high", "packets", "packet_hops", "congested_hop_fraction", "volume_scale", "ratio"})
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	whole := func(v int64) string { return strconv.FormatInt(v, 10) }
	bound := func(v *int64) string {
		if v == nil {
			return ""
		}
		return whole(*v)
	}
	for _, r := range c.Rows {
		out.Write([]string{r.Strategy, strconv.Itoa(r.Ranks), number(r.AvgPathLength), whole(r.HopBytes), number(r.CutFraction),
			number(r.MaxLinkSeconds), strconv.Itoa(r.MovedRanks), strconv.Itoa(r.Repeats), whole(r.ElapsedNS), bound(r.ElapsedNSLow),
			bound(r.ElapsedNSHigh), whole(r.Packets), whole(r.PacketHops), number(r.CongestedHopFraction), number(r.VolumeScale), number(r.Ratio)})
	}
	out.Flush()
	return out.Error()
}
