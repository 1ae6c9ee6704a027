package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"remap"
	"remap/evalsim"
	"remap/linkview"
	"remap/picture"
	"remap/sampling"
	"remap/topology"
)

// panelsOf simulates a mapping and makes its panels: one, one a time slice, or one a view.
func (p *program) panelsOf(ctx context.Context, j *remap.Environment, run *mappedRun,
	named bool) ([]picture.Panel, error) {
	o, err := p.SimulatorOptions.Options()
	if err != nil {
		return nil, err
	}
	if o = o.Sampled(); p.view == "administrator" {
		o = o.Unsampled()
	}
	o.OwnLinks = len(j.Background) > 0
	jobs := j.Jobs(run.m)
	if p.slices > 0 {
		if err := j.CheckMemory(jobs, o, p.slices, p.repeats); err != nil {
			return nil, err
		}
		first, err := evalsim.Run(ctx, j.Machine, jobs, o.Unsampled())
		if err != nil {
			return nil, err
		}
		o.SliceLength, o.MaxSlices = time.Duration(max(1, math.Ceil(first.Makespan/float64(p.slices)))), p.slices
	}
	results, err := p.play(ctx, &measures{samples: &output{}}, j, jobs, o)
	if err != nil {
		return nil, err
	}
	s := &linkRecord{t: j.Machine, results: results, length: o.SliceLength}
	if p.slices > 0 {
		return s.sliced(p.view), nil
	}
	var row outcome
	row.fill(j, results)
	heading := ""
	if named {
		heading = run.name + ": " + spanOf(float64(row.ElapsedNS)) + " a step"
	}
	switch p.view {
	case "both":
		return []picture.Panel{{Heading: "view of the job: its own packets", View: s.job(-1)},
			{Heading: "view of the administrator: all packets", View: s.all(-1)}}, nil
	case "administrator":
		return []picture.Panel{{Heading: heading, View: s.all(-1)}}, nil
	}
	return []picture.Panel{{Heading: heading, View: s.job(-1)}}, nil
}

// spanOf is a time for people.
func spanOf(ns float64) string {
	if ns >= 1e6 {
		return fmt.Sprintf("%.4g ms", ns/1e6)
	}
	return fmt.Sprintf("%.4g us", ns/1000)
}

// linkRecord makes views of the repeats of a simulation, whole or of time slices.
type linkRecord struct {
	t       *topology.Topology
	results []*evalsim.Result
	length  time.Duration // of a slice
}

// sliced are panels of the time slices.
func (s *linkRecord) sliced(view string) (panels []picture.Panel) {
	count := 0
	for _, r := range s.results {
		count = max(count, len(r.Slices))
	}
	for i := range count {
		from, to := float64(i)*float64(s.length), float64(i+1)*float64(s.length)
		heading := spanOf(from) + " to " + spanOf(to)
		if i == count-1 {
			heading = spanOf(from) + " to the end"
		}
		panel := picture.Panel{Heading: heading}
		if view == "administrator" {
			panel.View = s.all(i)
		} else {
			panel.View = s.job(i)
		}
		panels = append(panels, panel)
	}
	return panels
}

// seconds is the time of all repeats in a slice; -1 = the whole time.
func (s *linkRecord) seconds(slice int) float64 {
	sum := 0.0
	for _, r := range s.results {
		switch {
		case slice < 0:
			sum += r.Makespan
		case slice < len(r.Slices)-1:
			sum += float64(s.length)
		case slice == len(r.Slices)-1:
			sum += r.Makespan - float64(s.length)*float64(slice)
		}
	}
	return sum / 1e9
}

// all is the view of the administrator: exact counts of all packets.
func (s *linkRecord) all(slice int) *linkview.View {
	var counts [][]evalsim.LinkStats
	for _, r := range s.results {
		if slice < 0 {
			counts = append(counts, r.Links)
		} else if slice < len(r.Slices) {
			counts = append(counts, r.Slices[slice])
		}
	}
	return linkview.FromCounts(s.t, counts, s.seconds(slice))
}

// job is the view of the job: the samples of its own packets.
func (s *linkRecord) job(slice int) *linkview.View {
	var tables []*sampling.Table
	for _, r := range s.results {
		if slice < 0 {
			tables = append(tables, r.Samples[0])
			continue
		}
		for i := range r.Parts {
			if r.Parts[i].Slice == slice && r.Parts[i].Job == 0 {
				tables = append(tables, r.Parts[i].Samples)
			}
		}
	}
	return linkview.FromSamples(s.t, tables, s.packetBytes(), s.seconds(slice))
}

// packetBytes is the mean size of the job's packets.
func (s *linkRecord) packetBytes() float64 {
	bytes, packets := 0.0, 0.0
	for _, r := range s.results {
		for i := range r.Links {
			if s.t.IsHost(s.t.Links[i].From) {
				continue
			}
			if r.Own != nil {
				bytes, packets = bytes+float64(r.Own[i].Bytes), packets+float64(r.Own[i].Packets)
			} else {
				bytes, packets = bytes+float64(r.Links[i].Bytes), packets+float64(r.Links[i].Packets)
			}
		}
	}
	return bytes / max(1, packets)
}

// plotCaption is the line below a picture.
func (p *program) plotCaption(j *remap.Environment) string {
	text := "View of the job: what its own packets' samples tell."
	switch p.view {
	case "administrator":
		text = "View of the administrator: counts of all packets."
	case "both":
		text = "Both views are of the same simulations, on one scale."
	}
	if len(j.Background) > 0 {
		text += fmt.Sprintf(" Other jobs in the network: %d.", len(j.Background))
		if p.view != "administrator" {
			text += " In the job's view, links that its packets did not cross are without traffic."
		}
	}
	return text + fmt.Sprintf(" Simulations: %d, seed %d.", p.repeats, p.Seed)
}

// plotMatrix draws the traffic in the order of hosts, or of ranks.
func (p *program) plotMatrix(out *output, j *remap.Environment, runs []mappedRun) error {
	var panels []picture.MatrixPanel
	for i := range runs {
		panel := picture.MatrixPanel{Heading: "mapped by " + runs[i].name}
		if p.plotted.order == "hosts" {
			hosts := runs[i].m.Hosts(j.Allocation)
			panel.Order = make([]int32, len(hosts))
			for r := range panel.Order {
				panel.Order[r] = int32(r)
			}
			slices.SortStableFunc(panel.Order, func(a, b int32) int { return int(hosts[a] - hosts[b]) })
			panel.Lines, panel.LineNames = blockLines(j.Machine, panel.Order, hosts)
		} else if i > 0 {
			break // the same picture again
		} else {
			panel.Heading = "ranks by number"
		}
		panels = append(panels, panel)
	}
	caption := "Rows and columns: ranks in the order of their hosts."
	if p.plotted.order == "ranks" {
		caption = "Rows and columns: ranks by number."
	}
	scene, err := picture.Matrix(j.Traffic, panels, picture.MatrixOptions{Caption: caption,
		Title: fmt.Sprintf("traffic of %s, %d ranks on %s", shortNames(j.Name), j.Traffic.Ranks(),
			shortNames(j.Machine.Name))})
	if err != nil {
		return err
	}
	return p.writeScene(out, scene)
}

// blockLines are the places in an order of ranks at which a new group of each level, and a new host, begins.
func blockLines(t *topology.Topology, order, hosts []int32) (lines [][]int, names []string) {
	starts := func(group func(h int32) int32) (at []int) {
		for i := 1; i < len(order); i++ {
			if group(hosts[order[i]]) != group(hosts[order[i-1]]) {
				at = append(at, i)
			}
		}
		return at
	}
	for i := len(t.Levels) - 1; i >= 0; i-- {
		name := t.Levels[i].Name
		if i == 0 {
			name = "leaf switch"
		}
		lines = append(lines, starts(func(h int32) int32 { return t.Levels[i].Group[h] }))
		names = append(names, name)
	}
	if at := starts(func(h int32) int32 { return h }); len(at) < len(order)-1 {
		lines, names = append(lines, at), append(names, "host")
	}
	return lines, names
}
