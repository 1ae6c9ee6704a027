package main

import (
	"bytes"
	"fmt"

	"remap/evalsim"
	"remap/linkview"
	"remap/picture"
	htmlreport "remap/report"
	"remap/topology"
)

// exactView is the view of all packets in the simulations of a mapping.
func exactView(t *topology.Topology, results []*evalsim.Result) *linkview.View {
	return (&linkRecord{t: t, results: results}).all(-1)
}

// pageNetwork draws views of a network on one scale, each as a picture of its own: their headings name
// them. jobs is how many other jobs there are.
func pageNetwork(t *topology.Topology, title string, jobs int, panels ...picture.Panel) (*htmlreport.Network,
	error) {
	bare := make([]picture.Panel, len(panels))
	for i := range panels {
		bare[i].View = panels[i].View
	}
	o := picture.NetworkOptions{SideBySide: true, Width: 1200}
	scene, err := picture.Network(t, bare, o)
	if err != nil {
		return nil, err
	}
	n := &htmlreport.Network{Title: title, Text: []string{"Darker: more of the packets found the port " +
		"congested. Wider lines and bars: more traffic. " + seenBy(jobs)}}
	for i := range panels {
		part := scene.Part(i + 1)
		part.Title = panels[i].Heading
		svg, err := svgOf(part)
		if err != nil {
			return nil, err
		}
		n.Pictures = append(n.Pictures, htmlreport.Picture{Title: panels[i].Heading, SVG: svg})
	}
	legend := scene.Part(0)
	legend.Title = "What colours and thickness mean"
	n.Legend, err = svgOf(legend)
	return n, err
}

// seenBy says whose packets the pictures show.
func seenBy(jobs int) string {
	if jobs == 0 {
		return "Every packet of the simulation counts."
	}
	return fmt.Sprintf("Every packet of the simulation counts, those of %s too.", countOf(jobs, "other job"))
}

func svgOf(s *picture.Scene) ([]byte, error) {
	var b bytes.Buffer
	err := s.WriteSVG(&b)
	return b.Bytes(), err
}
