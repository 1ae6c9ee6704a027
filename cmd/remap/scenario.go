package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v2"

	"remap/commgraph"
	"remap/fixtures"
	"remap/internal/input"
	"remap/internal/nearest"
)

func (s *settings) scenarioFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "scenario", Destination: &s.scenario, Usage: "network, traffic and hosts by `NAME`: " + strings.Join(fixtures.Names(), ", ") +
		"; or a TOML file of options such as pattern = \"ring:64\"; options of the command line override it"}}
}

// maxScenario is the largest scenario file that is read, in bytes.
const maxScenario = 1 << 20

// given is an option that a scenario sets.
type given struct {
	name   string
	values []string // several for an option that may be repeated
	origin string   // FILE:LINE; empty for a scenario of ours
}

// scenarioNames are the options that a scenario may set: what describes the
// experiment, not what to do about it nor where results go.
func (p *program) scenarioNames() []string {
	var names []string
	for _, f := range join(p.machineFlags(), p.trafficFlags(), p.backgroundFlags(), p.routingFlag(), p.simulationFlags(), p.samplingFlag("")) {
		if name := f.Names()[0]; name != "progress" {
			names = append(names, name)
		}
	}
	return names
}

// applyScenario sets the options of --scenario that the command line does not.
func (p *program) applyScenario(c *cli.Context) error {
	if p.scenario == "" {
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
		if slices.Contains(set, o.name) || !hasFlag(c.Command, o.name) {
			continue
		}
		for _, value := range o.values {
			if err := c.Set(o.name, value); err != nil {
				return p.blameFor(o.origin, usage("it takes the same values as --"+o.name, "--%s: %q must be %s", o.name, value, kindOf(c.Command, o.name)))
			}
		}
		p.origins[o.name] = o.origin
	}
	return nil
}

func hasFlag(command *cli.Command, name string) bool {
	return slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}

// openScenario is --scenario: a name of ours, or a file.
func (p *program) openScenario() ([]given, error) {
	known, err := fixtures.Find(p.scenario)
	if err == nil {
		return p.ours(known), nil
	}
	_, missing := os.Stat(p.scenario)
	if missing != nil && !strings.HasSuffix(p.scenario, ".toml") && !strings.ContainsRune(p.scenario, os.PathSeparator) {
		hint := "scenarios: " + strings.Join(fixtures.Names(), ", ") + "; or a TOML file"
		if near := nearest.Name(p.scenario, fixtures.Names()); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, usage(hint, "--scenario: unknown scenario %q", p.scenario)
	}
	return p.readScenario(p.scenario)
}

// ours turns a ready-made scenario into options.
func (p *program) ours(s fixtures.Scenario) []given {
	options := []given{{name: "topology", values: []string{s.Topology}}, {name: "background", values: s.Background},
		{name: "fail", values: s.Fail}, {name: "slow", values: s.Slow}}
	if s.Hosts != "" {
		options = append(options, given{name: "hosts", values: []string{s.Hosts}})
	}
	if s.Pattern != "" {
		options = append(options, given{name: "pattern", values: []string{s.Pattern}})
	} else {
		p.Recorded, p.RecordedName = fixtures.Heat64, p.scenario
	}
	for _, o := range s.Options {
		options = append(options, given{name: o.Name, values: []string{o.Value}})
	}
	return options
}

// readScenario reads a file of options: NAME = VALUE, or NAME = [VALUES] for
// those that may be repeated. Names of files are relative to the file's folder.
func (p *program) readScenario(path string) ([]given, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScenario+1)) // a device has no size to ask for
	if err != nil {
		return nil, err
	}
	if len(text) > maxScenario {
		return nil, &input.Error{File: path, Reason: fmt.Sprintf("larger than %d bytes", maxScenario), Hint: "is this the right file?"}
	}
	values := map[string]any{}
	if err := toml.Unmarshal(input.TrimMark(text), &values); err != nil {
		return nil, inTOML(path, err)
	}
	names := p.scenarioNames()
	var options []given
	for _, name := range inOrder(values, text) {
		line := keyLine(text, name)
		o, err := readOption(names, name, values[name])
		if err != nil {
			err.File, err.Line = path, line
			return nil, err
		}
		o.origin = path + ":" + strconv.Itoa(line)
		o.beside(path)
		options = append(options, o)
	}
	return options, nil
}

// inOrder are the keys as they stand in the file, so that the first mistake is
// the one that is told.
func inOrder(values map[string]any, text []byte) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(keyLine(text, a), keyLine(text, b)), strings.Compare(a, b))
	})
}

// inTOML is an error of the TOML reader as ours.
func inTOML(path string, err error) error {
	var wrong toml.ParseError
	if !errors.As(err, &wrong) {
		return &input.Error{File: path, Reason: strings.TrimPrefix(err.Error(), "toml: "), Hint: tomlHint}
	}
	return &input.Error{File: path, Line: wrong.Position.Line, Column: wrong.Position.Col, Reason: oneLine(wrong.Message), Hint: tomlHint, Err: err}
}

const tomlHint = `write lines such as topology = "tapered" and background = ["uniform:100", "ring:8"]`

// keyLine is the line on which a top-level key stands; 0 if it is not found.
func keyLine(text []byte, name string) int {
	key := regexp.MustCompile(`^\s*["']?` + regexp.QuoteMeta(name) + `["']?\s*(=|\.)|^\s*\[+\s*["']?` + regexp.QuoteMeta(name) + `["']?\s*[\].]`)
	for i, line := range bytes.Split(text, []byte("\n")) {
		if key.Match(line) {
			return i + 1
		}
	}
	return 0
}

// readOption turns a value of the file into what the command line would say.
func readOption(names []string, name string, value any) (given, *input.Error) {
	if !slices.Contains(names, name) {
		hint := "options: " + strings.Join(names, ", ")
		if near := nearest.Name(name, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return given{}, &input.Error{Reason: fmt.Sprintf("unknown option %q of a scenario", name), Hint: hint}
	}
	o := given{name: name}
	list, several := value.([]any)
	if !several {
		list = []any{value}
	}
	if several && !slices.Contains([]string{"background", "fail", "slow", "measured"}, name) {
		return o, &input.Error{Reason: fmt.Sprintf("%s has one value, not a list", name), Hint: tomlHint}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			o.values = append(o.values, v)
		case int64, bool:
			o.values = append(o.values, fmt.Sprint(v))
		case float64:
			o.values = append(o.values, number(v))
		default:
			return o, &input.Error{Reason: fmt.Sprintf("%s is neither text nor a number", name), Hint: tomlHint}
		}
	}
	return o, nil
}

// beside finds files that stand beside the scenario's own.
func (o *given) beside(path string) {
	if !slices.Contains([]string{"topology", "hosts", "graph", "messages", "measured"}, o.name) {
		return
	}
	for i, value := range o.values {
		if there := filepath.Join(filepath.Dir(path), value); !filepath.IsAbs(value) {
			if _, err := os.Stat(there); err == nil {
				o.values[i] = there
			}
		}
	}
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
