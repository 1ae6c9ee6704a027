package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/input"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/strategy"
	"remap/topology"
	"remap/workload"
)

// example is a command line found in a document or in a help text.
type example struct {
	where string
	args  []string
}

// The commands of README, docs and every help text work as they stand. Those
// of one document run in order in one folder, so that a command can read what
// an earlier one wrote.
func TestDocumentedCommands(t *testing.T) {
	data := shared(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, document := range append(documents, more...) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		examples := inCodeBlocks(filepath.Base(document), string(text))
		found += len(examples)
		t.Run(filepath.Base(document), func(t *testing.T) {
			if document != documents[0] && len(examples) > 0 {
				tier.Long(t, "commands of a document other than README.md: seconds")
			}
			runExamples(t, root, data, examples)
		})
	}
	if found == 0 {
		t.Error("no command found in the documents: the test does not see them")
	}
}

// The examples of --help, all in one folder: maps first, so that what they
// write can be read.
func TestHelpExamples(t *testing.T) {
	p := &program{}
	var examples []example
	names := []string{"map", "convert", "verify", "generate", "evaluate", "simulate", "compare", "optimize",
		"plot", "version"}
	for _, name := range names {
		command := p.newApp().Command(name)
		if command == nil {
			t.Fatalf("no command %s", name)
		}
		lines := commandLines(name+" --help", command.Description)
		if len(lines) != 2 {
			t.Errorf("%s has %d examples, want 2", name, len(lines))
		}
		examples = append(examples, lines...)
	}
	for _, c := range p.newApp().Commands {
		for _, sub := range c.Subcommands { // TestRealTestbedExamples executes them
			if lines := commandLines(sub.Name+" --help", sub.Description); len(lines) != 2 {
				t.Errorf("%s %s has %d examples, want 2", c.Name, sub.Name, len(lines))
			}
		}
		if len(c.Subcommands) == 0 && !slices.Contains(names, c.Name) {
			t.Errorf("the examples of %s are not executed", c.Name)
		}
	}
	runExamples(t, "", "", examples)
}

// inCodeBlocks finds lines that begin with remap, ./remap or $ remap inside fences.
func inCodeBlocks(where, text string) []example {
	var inside []string
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			inside = append(inside, line)
		}
	}
	return commandLines(where, strings.Join(inside, "\n"))
}

// commandLines splits command lines of remap; a backslash continues a line.
func commandLines(where, text string) []example {
	var examples []example
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		words := shellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		if len(words) > 1 && (words[0] == "remap" || words[0] == "./remap") && words[1] != "COMMAND" {
			examples = append(examples, example{where, words[1:]})
		}
	}
	return examples
}

// shellWords splits a line at blanks outside single quotes, up to a comment.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if strings.HasPrefix(word, "#") {
				return words
			}
			words = append(words, word)
		}
	}
	return words
}

// runExamples runs them in order in one new folder beside which ../shared and
// the project's own folders can be seen.
func runExamples(t *testing.T, root, data string, examples []example) {
	folder := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if data != "" {
		if err := os.Symlink(data, filepath.Join(folder, "..", "shared")); err != nil {
			t.Fatal(err)
		}
	}
	if root != "" {
		if err := os.Symlink(filepath.Join(root, "fixtures"), filepath.Join(folder, "fixtures")); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	for _, e := range examples {
		line := "remap " + strings.Join(e.args, " ")
		if strings.Contains(line, "../shared/") && data == "" {
			t.Run("shared", func(t *testing.T) { t.Skipf("skipped: ../shared is absent: %s", line) })
			continue
		}
		if large.MatchString(line) && !tier.IsLong() {
			t.Run("large", func(t *testing.T) { tier.Long(t, line) })
			continue
		}
		if strings.HasPrefix(line, "remap compare --topology tapered ") && !tier.IsExperiments() {
			t.Run("sweep", func(t *testing.T) { tier.Experiment(t, line) })
			continue
		}
		if code, _, stderr := runHere(shortened(e.args)...); code != exitDone {
			t.Errorf("%s: %s\nexit code %d\n%s", e.where, line, code, stderr)
		}
	}
}

// large are networks and files of thousands of hosts, and what takes seconds on small ones.
var large = regexp.MustCompile(
	`--check-model|reduction-naive|tapered|popcount|\.\./shared/|heat64.*--strategy best|best:trials`)

// shortened is a command as it stands in the experiments, and else with little to simulate.
func shortened(args []string) []string {
	if tier.IsExperiments() {
		return args
	}
	repeats := strconv.Itoa(tier.Cases(1, 2, 0))
	switch args[0] {
	case "optimize":
		return append(slices.Clone(args), "--repeats", repeats, "--validation-repeats", repeats, "--steps", "1",
			"--simulations", "4")
	case "compare", "simulate", "plot":
		return append(slices.Clone(args), "--repeats", repeats)
	}
	return args
}

// docs/specs.md names every pattern, option, algorithm, network and routing that
// there is.
func TestSpecsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "specs.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"`adaptive`", "`two-choices`", "`random`", "`hash`", "`static`", "`valiant`", "`ugal`"}
	if _, err := evalsim.ParseRouting("none"); strings.Count(err.Error(), ",") != len(names)-1 {
		t.Errorf("%d routings are looked for, there are others: %v", len(names), err)
	}
	_, err = topology.Parse("none")
	for _, kind := range regexp.MustCompile(`([a-z]+):[a-z0-9]`).FindAllStringSubmatch(input.Hint(err), -1) {
		names = append(names, "`"+kind[1]+":")
	}
	for _, example := range workload.PatternNames() {
		names = append(names, "`"+example+"`")
		_, err := workload.ParsePattern(example + ",none=1")
		for _, option := range strings.Split(strings.TrimPrefix(input.Hint(err), "its options are "), ", ") {
			if option != "planes" && option != "grid" { // the example has them
				names = append(names, option+"=")
			}
		}
		if _, err = workload.ParsePattern(example + ",algorithm=none"); strings.Contains(err.Error(), "must be "+
			"one of ") {
			_, algorithms, _ := strings.Cut(err.Error(), "must be one of ")
			for _, a := range strings.Split(algorithms, ", ") {
				if a != "auto" {
					names = append(names, "`"+a+"`")
				}
			}
		}
	}
	for _, s := range strategy.Table() {
		names = append(names, "`"+s.Name+"`")
		_, err := strategy.Parse(s.Name + ":none=1")
		if _, options, found := strings.Cut(input.Hint(err), "known: "); found {
			for _, option := range strings.Split(options, ", ") {
				names = append(names, "`"+option+"=")
			}
		}
	}
	for _, objective := range mapping.Objectives() {
		names = append(names, "`"+objective+"`")
	}
	for _, name := range names {
		if !strings.Contains(string(text), name) {
			t.Errorf("docs/specs.md does not tell of %s", name)
		}
	}
	if len(names) < 80 {
		t.Errorf("only %d names were looked for: %v", len(names), names)
	}
}
