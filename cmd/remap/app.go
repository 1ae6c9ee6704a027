package main

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/commgraph"
	"remap/internal/nearest"
)

const appHelp = `remap places MPI ranks on hosts so that a job spends less time in the network.

usage: remap COMMAND [options]

commands:
{{range .VisibleCommands}}  {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
remap COMMAND --help shows the options and two worked examples.
`

const commandHelp = `{{.HelpName}}: {{.Usage}}

usage: {{.HelpName}} [options]

examples:
{{.Description}}

options:
{{range $i, $flag := .VisibleFlags}}  {{$flag}}
{{end}}
`

// newApp is the table of commands.
func (p *program) newApp() *cli.App {
	job := join(p.scenarioFlag(), p.machineFlags(), p.trafficFlags(), p.backgroundFlags(), p.previousFlags(),
		p.simulationFlags(), p.routingFlag(), p.commonFlags(), p.quietFlag(), p.jsonFlag())
	mappings := join(p.launcherFlags(), p.outputFlags(mappingFormats(), "", "csv, or as the ending of "+
		"--output says"))
	reports := p.outputFlags("text, markdown, csv or json", "text", "")
	hosts := p.hostFlags("those that the mapping names")
	progress := only(p.simulationFlags(), "progress")
	app := &cli.App{
		Name: "remap", HelpName: "remap", Usage: "maps MPI ranks to hosts",
		Writer: p.stdout, ErrWriter: p.stderr,
		DisableSliceFlagSeparator: true, // patterns have commas
		HideVersion:               true, HideHelpCommand: true, CustomAppHelpTemplate: appHelp,
		Action:         p.noCommand,
		OnUsageError:   usageError,
		ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{
			p.command("optimize", "the closed loop: map, simulate, learn from congestion, map again",
				optimizeExamples, p.optimize,
				job, p.strategiesFlag(remap.DefaultStrategies), p.goalFlags(), p.migrationFlag(), p.loopFlags(),
				p.measuredFlags(), p.checkModelFlag(),
				p.samplingFlag("from which the feedback is taken: full by default, and with --measured off, "+
					"which reads the simulator's counters"), mappings, p.reportFlag()),
			p.command("map", "one static mapping, without simulation", mapExamples, p.mapOnce,
				job, p.strategyFlag(), p.goalFlags(), mappings),
			p.command("evaluate", "static costs of a mapping", evaluateExamples, p.evaluate,
				job, p.mappingFlag(), reports),
			p.command("simulate", "simulate a mapping", simulateExamples, p.simulate,
				job, p.mappingFlag(), p.strategyFlag(), p.aloneFlag(),
				p.samplingFlag("which fill the est_ columns of --links"), p.measureFlags(), reports, p.reportFlag()),
			p.command("compare", "one row a strategy: static costs and simulated time", compareExamples, p.compare,
				job, p.strategiesFlag(compareDefault), p.goalFlags(), reports, p.reportFlag()),
			p.command("diagnose", "say why a job is slow: mapping, pattern, others, or nothing", diagnoseExamples,
				p.diagnose, job, p.mappingFlag(), p.strategyFlag(),
				p.samplingFlag("from which the diagnosis is made: full by default"),
				only(p.measureFlags(), "view", "slices", "by-phase", "by-tag", "by-call-site"),
				p.measuredFlags(), reports),
			p.command("plot", "draw the network with its congestion, or the traffic matrix: SVG, PNG, PDF, text",
				plotExamples, p.plot, without(job, "json", "timing"), p.mappingFlag(), p.strategyFlag(),
				p.measuredFlags(), p.samplingFlag("which the view of the job is drawn from"), p.plotFlags()),
			p.command("verify", "check a launcher's file against the hosts and a plan, and run the launcher",
				verifyExamples, p.verify,
				p.mappingFlag(), p.mappingFormatFlag(), hosts, p.verifyFlags(), p.launcherFlags(), p.jsonFlag(),
				p.quietFlag(), progress),
			p.command("convert", "write a mapping, a graph or a network in another format", convertExamples, p.convert,
				p.mappingFlag(), p.mappingFormatFlag(), only(p.trafficFlags(), "graph", "graph-format", "messages"),
				only(p.networkFlags(), "topology"), hosts, p.launcherFlags(), p.quietFlag(),
				p.outputFlags(allFormats(), "", "edges for graphs, ibnetdiscover for networks; mappings csv, or as "+
					"the ending of --output says")),
			p.command("generate", "write a pattern, a network or a scenario to a file", generateExamples, p.generate,
				only(join(p.trafficFlags(), p.networkFlags()), "pattern", "topology"), p.scenarioFlag(), p.quietFlag(),
				p.outputFlags(strings.Join(commgraph.WriteFormats(), ", ")+"; ibnetdiscover; toml", "",
					"edges, ibnetdiscover or toml")),
			p.testbedCommand(job),
			p.command("version", "build information", versionExamples, p.version, p.jsonFlag()),
		},
	}
	return app
}

func join(groups ...[]cli.Flag) []cli.Flag {
	var all []cli.Flag
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// command wires one row of the table.
func (p *program) command(name, use, examples string, action func(context.Context) error,
	groups ...[]cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: use, Description: strings.Trim(examples, "\n"), Flags: join(groups...),
		CustomHelpTemplate: commandHelp, HideHelpCommand: true, OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("values follow their option: remap "+name+" --option VALUE",
					"unexpected argument %q", c.Args().First())
			}
			p.name, p.context = name, c
			if err := p.applyScenario(c); err != nil {
				return err
			}
			if err := p.check(c); err != nil {
				return p.blame(err)
			}
			p.clock.start()
			return p.blame(action(c.Context))
		},
	}
}

// noCommand answers a command line that names no command, or an unknown one.
func (p *program) noCommand(c *cli.Context) error {
	given := c.Args().First()
	switch {
	case given == "help" && c.NArg() > 1 && p.app.Command(c.Args().Get(1)) != nil:
		return cli.ShowCommandHelp(c, c.Args().Get(1))
	case given == "" || given == "help":
		return cli.ShowAppHelp(c)
	}
	var names []string
	for _, command := range p.app.Commands {
		names = append(names, command.Name)
	}
	hint := "commands: " + strings.Join(names, ", ")
	if near := nearest.Name(given, names); near != "" {
		hint = "did you mean remap " + near + "?"
	}
	return usage(hint, "unknown command %q", given)
}

var (
	undefinedFlag = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	invalidFlag   = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]*): ` +
		`(?:parse error|value out of range|strconv.*)`)
	lonelyFlag = regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
)

// usageError rewords what the flag parser says, and offers the nearest option.
func usageError(c *cli.Context, err error, _ bool) error {
	command := c.Command
	see := "remap " + command.Name + " --help lists the options"
	if command.Name == "remap" {
		see = "options follow the command: remap COMMAND [options]"
	}
	if found := undefinedFlag.FindStringSubmatch(err.Error()); found != nil {
		var names []string
		for _, f := range command.Flags {
			names = append(names, f.Names()...)
		}
		if near := nearest.Name(found[1], names); near != "" {
			see = "did you mean --" + near + "?"
		}
		return usage(see, "unknown option --%s", found[1])
	}
	if found := invalidFlag.FindStringSubmatch(err.Error()); found != nil {
		return usage(see, "--%s: %s must be %s", found[2], found[1], kindOf(command, found[2]))
	}
	if found := lonelyFlag.FindStringSubmatch(err.Error()); found != nil {
		return usage(see, "--%s needs a value", found[1])
	}
	return usage(see, "%w", err)
}

// kindOf says what the values of an option are, for those that the flag parser
// converts; it refuses values of the wrong kind and numbers that are too large.
func kindOf(command *cli.Command, name string) string {
	for _, f := range command.Flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			return "true or false"
		case *cli.Float64Flag:
			return "a number, below 1e308"
		case *cli.Uint64Flag:
			return "a whole number from 0 to 2^64-1"
		case *cli.DurationFlag:
			return "a time such as 30s or 5m"
		}
	}
	return "a whole number, below 2^63"
}
