package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"remap/internal/nearest"
)

const plotExamples = `
  remap plot --topology torus:6x6x8 --pattern stencil3d7:6x6x8 --before identity --strategy tiling \
      --repeats 1 --output torus.svg
  remap plot --topology torus:4x4x4 --pattern stencil3d7:4x4x4 --strategy identity --terminal
`

// plotOptions are those of plot alone.
type plotOptions struct {
	kind, before, crop, order string
	terminal                  bool
}

// plotFlags are the options of plot besides those of the job.
func (s *settings) plotFlags() []cli.Flag {
	o := &s.plotted
	return join([]cli.Flag{
		&cli.StringFlag{Name: "kind", Destination: &o.kind, Value: "network",
			Usage: "`WHAT` is drawn: network, the links with their congestion and traffic; or matrix, the bytes " +
				"that ranks send each other"},
		&cli.StringFlag{Name: "before", Destination: &o.before,
			Usage: "a second mapping, drawn first and on the same scale: a `STRATEGY` or a mapping file"},
		&cli.StringFlag{Name: "crop", Destination: &o.crop,
			Usage: "only this part of the network: a `REGION` such as leaf0-leaf23, a list of hosts, or job, what " +
				"the job's hosts hang on"},
		&cli.StringFlag{Name: "order", Destination: &o.order, Value: "hosts",
			Usage: "`ORDER` of the rows of --kind matrix: hosts, by where ranks sit, or ranks"},
		&cli.BoolFlag{Name: "terminal", DisableDefaultText: true, Destination: &o.terminal,
			Usage: "draw with characters, in 80 columns (default without --output)"},
	}, s.viewFlag("the picture is of: job, what the job's own packets tell; administrator, the counts of all "+
		"packets; or both"),
		s.slicesFlag("a picture of each of `N` time slices of the first repeat's time"),
		only(s.outputFlags("", "", ""), "output", "force"))
}

// viewFlag says whose knowledge is written or drawn.
func (s *settings) viewFlag(effect string) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "view", Destination: &s.view, Value: "job",
		Usage: "`WHO` " + effect}}
}

// slicesFlag cuts the time of a run.
func (s *settings) slicesFlag(effect string) []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "slices", Destination: &s.slices, Usage: effect}}
}

// pictureFormats are the endings of pictures.
var pictureFormats = []string{".svg", ".png", ".pdf"}

// checkPlot tests the options of plot against each other.
func (p *program) checkPlot() error {
	o := &p.plotted
	measured := len(p.measuredFiles.Value()) > 0
	sources := 0
	for _, given := range []bool{p.mapping != "", p.strategy != "", measured} {
		if given {
			sources++
		}
	}
	several := 0
	for _, given := range []bool{o.before != "", p.slices > 0, p.view == "both"} {
		if given {
			several++
		}
	}
	switch {
	case sources != 1:
		return usage("--mapping FILE for a mapping of yours, --strategy NAME to make one, --measured FILE for "+
			"what was measured", "exactly one of --mapping, --strategy and --measured is needed")
	case several > 1:
		return usage("draw one after the other", "--before, --slices and --view both cannot be together")
	case measured && (several > 0 || o.kind != "network"):
		return usage("--measured alone draws the network", "--measured has one picture")
	case p.Sampling == "off" && p.view != "administrator" && o.kind == "network" && !measured:
		return usage("leave out --sampling off, or add --view administrator",
			"--sampling off: the view of the job is drawn from samples")
	case o.kind == "matrix" && (p.slices > 0 || o.crop != "" || o.terminal):
		return usage("--kind matrix is drawn to a file and takes --before and --order",
			"--slices, --crop and --terminal are of --kind network")
	}
	return cmp.Or(oneOf("kind", o.kind, "network", "matrix"), oneOf("order", o.order, "hosts", "ranks"),
		oneOf("view", p.view, "job", "administrator", "both"), p.checkEnding())
}

// checkEnding tests that the output's ending is one that can be drawn.
func (p *program) checkEnding() error {
	ending := strings.ToLower(filepath.Ext(p.output))
	switch {
	case p.plotted.terminal:
		return nil
	case p.output == "" || p.output == "-":
		if p.plotted.kind == "matrix" {
			return usage("for example --output matrix.svg", "--kind matrix needs --output FILE")
		}
		return nil
	case !slices.Contains(pictureFormats, ending):
		return usage("name it *.svg, *.png or *.pdf, or add --terminal for text", "--output %s: pictures are "+
			"written by the ending of the file, and this is none of them", p.output)
	}
	return nil
}

// oneOf tests that an option has one of some values.
func oneOf(option, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	hint := "one of " + strings.Join(values, ", ")
	if near := nearest.Name(value, values); near != "" {
		hint = "did you mean " + near + "? It is " + hint
	}
	return usage(hint, "--%s: unknown value %q", option, value)
}
