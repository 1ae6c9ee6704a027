package main

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"remap/fixtures"
	"remap/internal/nearest"
	"remap/job"
)

func (s *settings) scenarioFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "scenario", Destination: &s.scenario,
		Usage: "network, traffic and hosts by `NAME`: " + strings.Join(fixtures.Names(), ", ") +
			"; or a TOML file of options such as pattern = \"ring:64\"; options of the command line override it"}}
}

// scenarioNames are the options that a scenario may set: what describes the
// experiment, not what to do about it nor where results go.
func (p *program) scenarioNames() []string {
	var names []string
	for _, f := range join(p.machineFlags(), p.trafficFlags(), p.backgroundFlags(), p.routingFlag(),
		p.simulationFlags(), p.samplingFlag("")) {
		if name := f.Names()[0]; name != "progress" {
			names = append(names, name)
		}
	}
	return names
}

// applyScenario sets the options of --scenario that the command line does not.
func (p *program) applyScenario(c *cli.Context) error {
	if p.scenario == "" || c.Command.Name == "generate" {
		return nil
	}
	options, err := p.openScenario()
	if err != nil {
		return err
	}
	var has []string
	for _, f := range c.Command.Flags {
		has = append(has, f.Names()[0])
	}
	set := slices.DeleteFunc(has, func(name string) bool { return !c.IsSet(name) })
	if slices.Contains(set, "pattern") || slices.Contains(set, "graph") {
		p.Recorded = nil
		set = append(set, "pattern", "graph", "messages") // one kind of traffic overrides the other
	}
	p.origins = map[string]string{}
	for _, o := range options {
		if slices.Contains(set, o.Name) || !hasFlag(c.Command, o.Name) {
			continue
		}
		for _, value := range o.Values {
			if err := c.Set(o.Name, value); err != nil {
				return p.blameFor(o.Origin, usage("it takes the same values as --"+o.Name,
					"--%s: %q must be %s", o.Name, value, kindOf(c.Command, o.Name)))
			}
		}
		p.origins[o.Name] = o.Origin
	}
	return nil
}

func hasFlag(command *cli.Command, name string) bool {
	return slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}

// openScenario is --scenario: a name of ours, or a file.
func (p *program) openScenario() ([]job.Setting, error) {
	known, err := fixtures.Find(p.scenario)
	if err == nil {
		return p.ours(known), nil
	}
	_, missing := os.Stat(p.scenario)
	if missing != nil && !strings.HasSuffix(p.scenario, ".toml") &&
		!strings.ContainsRune(p.scenario, os.PathSeparator) {
		hint := "scenarios: " + strings.Join(fixtures.Names(), ", ") + "; or a TOML file"
		if near := nearest.Name(p.scenario, fixtures.Names()); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, usage(hint, "--scenario: unknown scenario %q", p.scenario)
	}
	return job.ReadScenario(p.scenario, p.scenarioNames())
}

// ours turns a ready-made scenario into options.
func (p *program) ours(s fixtures.Scenario) []job.Setting {
	options := []job.Setting{{Name: "topology", Values: []string{s.Topology}},
		{Name: "background", Values: s.Background},
		{Name: "fail", Values: s.Fail}, {Name: "slow", Values: s.Slow}}
	if s.Hosts != "" {
		options = append(options, job.Setting{Name: "hosts", Values: []string{s.Hosts}})
	}
	if s.Pattern != "" {
		options = append(options, job.Setting{Name: "pattern", Values: []string{s.Pattern}})
	} else {
		p.Recorded, p.RecordedName = fixtures.Heat64, p.scenario
	}
	for _, o := range s.Options {
		options = append(options, job.Setting{Name: o.Name, Values: []string{o.Value}})
	}
	return options
}

var optionOfError = regexp.MustCompile(`^--([a-z-]+)`)

// blame says where in a scenario file the option stands that an error is about.
func (p *program) blame(err error) error {
	if err == nil || len(p.origins) == 0 {
		return err
	}
	found := optionOfError.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	return p.blameFor(p.origins[found[1]], err)
}

func (p *program) blameFor(origin string, err error) error {
	if origin == "" {
		return err
	}
	return fail(hintOf(err), "%s: %w", origin, err)
}
