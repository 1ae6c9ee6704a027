package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"remap/linkview"
	"remap/picture"
	htmlreport "remap/report"
	"remap/topology"
)

// mostListed is how many links the page lists.
const mostListed = 10

// leastUse is the share of its rate that a listed link carries at least: a few packets may all have met
// congestion on a link that matters to nobody.
const leastUse = 0.05

// congestedTables lists the most congested links of each panel with their values in all panels; none
// where no link is congested.
func congestedTables(t *topology.Topology, panels []picture.Panel) []htmlreport.Table {
	g := grid{header: []string{"link", "number"}}
	for i := range panels {
		g.header = append(g.header, "congested %: "+panels[i].Heading, "Gb/s: "+panels[i].Heading)
	}
	listed := map[int32]bool{}
	for i := range panels {
		for _, l := range congestedLinks(t, panels[i].View) {
			listed[l] = true
		}
	}
	links := slices.Sorted(maps.Keys(listed))
	worst := func(l int32) (share float64) {
		for i := range panels {
			share = max(share, panels[i].View.Links[l].Congested.Value)
		}
		return share
	}
	slices.SortStableFunc(links, func(a, b int32) int { return cmp.Compare(worst(b), worst(a)) })
	for _, l := range links {
		cells := []string{t.NodeName(t.Links[l].From) + " to " + t.NodeName(t.Links[l].To),
			fmt.Sprint(t.LinkNumber(l))}
		for i := range panels {
			v := panels[i].View
			cells = append(cells, fmt.Sprintf("%.1f", 100*v.Links[l].Congested.Value),
				fmt.Sprintf("%.1f", v.BytesPerSecond(l)*8/1e9))
		}
		g.add(cells...)
	}
	if len(g.rows) == 0 {
		return nil
	}
	return []htmlreport.Table{
		pageTable("Most congested links", fmt.Sprintf("The %d most congested links of each "+
			"picture that carry at least %.0f %% of their rate. Number: as in a links file. Congested: packets that "+
			"found the port congested.", mostListed, 100*leastUse), &g),
	}
}

// congestedLinks are the most congested links of a view, at most mostListed.
func congestedLinks(t *topology.Topology, v *linkview.View) []int32 {
	var all []int32
	for l := range v.Links {
		share := v.Links[l].Congested.Value
		if share >= 0.01 && !math.IsNaN(share) && v.Use(t, int32(l)) >= leastUse {
			all = append(all, int32(l))
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		return cmp.Compare(v.Links[b].Congested.Value, v.Links[a].Congested.Value)
	})
	return all[:min(len(all), mostListed)]
}
