package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"remap"
	"remap/counters"
	"remap/linkview"
	"remap/mapping"
	"remap/picture"
	"remap/strategy"
	"remap/topology"
)

func (p *program) plot(ctx context.Context) error {
	if err := p.checkPlot(); err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	if len(p.measuredFiles.Value()) > 0 {
		return p.plotMeasured(out)
	}
	name, j, m, err := p.mappingToSimulate(ctx)
	if err != nil {
		return err
	}
	plotted := []mappedRun{{name: name, m: m}}
	if p.plotted.before != "" {
		before, err := p.mappingBefore(ctx, j)
		if err != nil {
			return err
		}
		plotted = []mappedRun{before, plotted[0]}
	}
	if p.plotted.kind == "matrix" {
		return p.plotMatrix(out, j, plotted)
	}
	var panels []picture.Panel
	var own []int32
	for i := range plotted {
		own = append(own, plotted[i].m.Hosts(j.Allocation)...)
		more, err := p.panelsOf(ctx, j, &plotted[i], len(plotted) > 1)
		if err != nil {
			return err
		}
		panels = append(panels, more...)
	}
	p.clock.lap("simulate")
	o := picture.NetworkOptions{Caption: p.plotCaption(j),
		Title: fmt.Sprintf("%s on %s", shortNames(j.Name), shortNames(j.Machine.Name))}
	if len(plotted) == 1 {
		o.Title += ", mapped by " + shortNames(name)
	}
	return p.drawNetwork(out, j.Machine, &o, own, panels)
}

// mappedRun is a mapping that is drawn.
type mappedRun struct {
	name string
	m    mapping.Mapping
}

// mappingBefore is that of --before.
func (p *program) mappingBefore(ctx context.Context, j *remap.Environment) (mappedRun, error) {
	name := p.plotted.before
	if _, err := os.Stat(name); err == nil {
		m, err := j.ReadMapping(name)
		if err != nil {
			return mappedRun{}, inOption("before", err)
		}
		return mappedRun{name, m}, nil
	}
	s, err := strategy.Parse(name)
	if err != nil {
		return mappedRun{}, inOption("before", err)
	}
	m, err := s.Map(ctx, j.Problem(p.Seed))
	if err != nil {
		return mappedRun{}, inStrategy(name, err)
	}
	return mappedRun{name, m}, nil
}

// plotMeasured draws what was measured on a real network, or a links file.
func (p *program) plotMeasured(out *output) error {
	machine, err := p.openMachine()
	if err != nil {
		return err
	}
	files := p.measuredFiles.Value()
	o := picture.NetworkOptions{Caption: "View of the administrator: port counters.",
		ScaleName: "share of time in which the port had data and could not send"}
	var v *linkview.View
	if p.measuredView == remap.JobView {
		samples, err := counters.OpenSamples(machine, files[0])
		if err != nil {
			return inOption("measured", err)
		}
		v = linkview.FromLinksFile(machine, samples, float64(p.PacketBytes))
		o = picture.NetworkOptions{Caption: "View of the job: what its own packets' samples tell."}
	} else {
		c := counters.Options{Seconds: p.measuredSeconds, Tick: p.xmitWaitTick}
		if p.measuredColumns != "" {
			if c.Columns, err = counters.ParseColumns(p.measuredColumns); err != nil {
				return inOption("measured-columns", err)
			}
		}
		links, err := counters.Open(machine, files, c)
		if err != nil {
			return inOption("measured", err)
		}
		for _, warning := range links.Warnings {
			p.hint("measured: %s", oneLine(warning))
		}
		v = linkview.FromCounters(machine, links)
	}
	o.Title = shortNames(files...) + " on " + shortNames(machine.Name)
	return p.drawNetwork(out, machine, &o, nil, []picture.Panel{{View: v}})
}

// shortNames are names without the folders of files.
func shortNames(names ...string) string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = filepath.Base(name)
	}
	return strings.Join(short, ", ")
}

// openMachine is the network alone.
func (p *program) openMachine() (*topology.Topology, error) {
	if p.Topology == "" {
		return nil, usage("for example --topology tapered, or an ibnetdiscover file", "--topology is missing")
	}
	machine, err := topology.Open(p.Topology)
	if err != nil {
		return nil, inOption("topology", err)
	}
	if machine, err = topology.Degrade(machine, nil, p.slow.Value()); err != nil {
		return nil, inOption("slow", err)
	}
	if machine, err = topology.Degrade(machine, p.fail.Value(), nil); err != nil {
		return nil, inOption("fail", err)
	}
	return machine, nil
}

// drawNetwork writes a picture of a network in the format that is asked for; own are the job's hosts.
func (p *program) drawNetwork(out *output, machine *topology.Topology, o *picture.NetworkOptions, own []int32,
	panels []picture.Panel) error {
	o.SideBySide = p.plotted.before != "" || p.view == "both"
	if p.plotted.crop == "job" && own != nil {
		o.Hosts = make([]bool, machine.Hosts())
		for _, h := range own {
			o.Hosts[h] = true
		}
	} else if p.plotted.crop != "" {
		hosts, err := picture.Crop(machine, p.plotted.crop)
		if err != nil {
			return usage("for example --crop "+machine.HostNames[0], "--crop: %w", err)
		}
		o.Hosts = hosts
	}
	if p.plotted.terminal || !out.toFile() {
		text, err := picture.Terminal(machine, panels, *o, asciiTerminal(os.Getenv))
		if err != nil {
			return err
		}
		return out.write(func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	scene, err := picture.Network(machine, panels, *o)
	if err != nil {
		return err
	}
	return p.writeScene(out, scene)
}

// asciiTerminal tells whether a terminal shows no other characters than ASCII: TERM is dumb, or the
// locale is not UTF-8.
func asciiTerminal(env func(string) string) bool {
	if env("TERM") == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return true
}

// writeScene writes a drawing by the ending of the file.
func (p *program) writeScene(out *output, scene *picture.Scene) error {
	err := out.write(func(w io.Writer) error {
		switch strings.ToLower(filepath.Ext(out.path)) {
		case ".png":
			return scene.WritePNG(w, 1)
		case ".pdf":
			return scene.WritePDF(w)
		}
		return scene.WriteSVG(w)
	})
	if err == nil {
		p.say("written: %s, %d shapes on %.0f x %.0f points", out.path, len(scene.Shapes), scene.Width,
			scene.Height)
	}
	return err
}
