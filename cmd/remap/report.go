package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"remap/evalsim"
	"remap/mapping"
)

// report is what a command has found, for people and for programs.
type report struct {
	value     any    // the JSON
	table     grid   // text and markdown
	more      []grid // tables below it; empty ones are left out
	above     string // what comes first, for people; empty = none
	under     string // a line below the table; empty = none
	csvHeader []string
	csvRows   [][]string
}

// reportFormat is --format of the commands that write reports. With --json
// standard output has the JSON; a file then has it too unless --format says otherwise.
func (p *program) reportFormat() (string, error) {
	if p.json && !p.asked {
		return "json", nil
	}
	switch p.format {
	case "text", "markdown", "csv", "json":
		return p.format, nil
	}
	return "", usage("formats: text, markdown, csv, json", "--format: unknown format %q", p.format)
}

// writeReport writes a report to --output, or to standard output, where --json
// puts the JSON alone.
func (p *program) writeReport(out *output, format string, r *report) error {
	if out.toFile() || !p.json {
		if err := out.write(func(w io.Writer) error { return r.write(w, format, p.width(out)) }); err != nil {
			return err
		}
	}
	if p.json {
		return p.writeJSON(r.value)
	}
	if format != "json" {
		p.sayTiming()
	}
	return nil
}

func (r *report) write(w io.Writer, format string, width int) error {
	switch format {
	case "json":
		return encodeJSON(w, r.value)
	case "csv":
		out := csv.NewWriter(w)
		out.Write(r.csvHeader)
		out.WriteAll(r.csvRows)
		return out.Error()
	}
	if format == "text" {
		r.table.fit(width)
	}
	if r.above != "" {
		if _, err := fmt.Fprintf(w, "%s\n\n", r.above); err != nil {
			return err
		}
	}
	if len(r.table.rows) > 0 || r.above == "" {
		if err := r.table.render(w, format); err != nil {
			return err
		}
	}
	for _, more := range r.more {
		if len(more.rows) == 0 {
			continue
		}
		if format == "text" {
			more.fit(width)
		}
		fmt.Fprintln(w)
		if err := more.render(w, format); err != nil {
			return err
		}
	}
	if r.under != "" {
		_, err := fmt.Fprintf(w, "\n%s\n", r.under)
		return err
	}
	return nil
}

// staticNames and staticFields have the names and the digits of the JSON.
var staticNames = []string{"strategy", "ranks", "avg_path_length", "hop_bytes", "cut_fraction",
	"max_link_seconds", "moved_ranks"}

func staticFields(c *mapping.Costs) []string {
	return []string{c.Strategy, strconv.Itoa(c.Ranks), number(c.AvgPathLength), whole(c.HopBytes),
		number(c.CutFraction),
		number(c.MaxLinkSeconds), strconv.Itoa(c.MovedRanks)}
}

// timeNames and timeFields are the same for a simulation.
var timeNames = []string{"repeats", "elapsed_ns", "elapsed_ns_low", "elapsed_ns_high", "packets",
	"packet_hops", "congested_hop_fraction", "volume_scale"}

func timeFields(s *evalsim.Summary) []string {
	return []string{strconv.Itoa(s.Repeats), whole(s.ElapsedNS), wholeOrNothing(s.ElapsedNSLow),
		wholeOrNothing(s.ElapsedNSHigh),
		whole(s.Packets), whole(s.PacketHops), number(s.CongestedHopFraction), number(s.VolumeScale)}
}

func (s *outcome) fields() []string {
	return append(staticFields(&s.Costs), timeFields(&s.Summary)...)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func whole(v int64) string { return strconv.FormatInt(v, 10) }

func wholeOrNothing(v *int64) string {
	if v == nil {
		return ""
	}
	return whole(*v)
}

// ratio is elapsed over first, nil when there is nothing to compare with.
func ratio(elapsed, first int64) *float64 {
	if first <= 0 {
		return nil
	}
	r := float64(elapsed) / float64(first)
	return &r
}

func ratioCell(r *float64) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *r)
}
