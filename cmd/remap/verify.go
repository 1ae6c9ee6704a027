package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"remap/launcher"
	"remap/mapping"
	"remap/verify"
)

const verifyExamples = `
  remap verify --mapping job.csv --hosts 'n[0-63]'
  remap verify --mapping job.seq --plan job.csv
`

// verifyResult is the JSON of verify.
type verifyResult struct {
	Ranks int            `json:"ranks"`
	Hosts int            `json:"hosts"`
	Wrong []verify.Wrong `json:"wrong"`
	// Launcher and Line are what --run started.
	Launcher string `json:"launcher,omitempty"`
	Line     string `json:"line,omitempty"`
	// Ignored says how the launcher has placed the ranks if it looks as if it had not used the file.
	Ignored string `json:"ignored,omitempty"`
	// Reason is why the file cannot place its ranks on the hosts.
	Reason string `json:"reason,omitempty"`

	notes []string // of the launcher
}

// answerNo is an answer that is no, exit code 3: not an error of the program or of its input.
type answerNo struct{ error }

func (p *program) verify(ctx context.Context) error {
	if p.mapping == "" {
		return usage("remap optimize --output FILE writes one", "--mapping is missing")
	}
	o, err := p.verifyOptions()
	if err != nil {
		return err
	}
	place, format, err := p.readPlacement(p.mapping, p.mappingFormat)
	if err != nil {
		return p.misplacement(err)
	}
	if err := launcher.CheckOptions(format, o); err != nil {
		return inOption("bind", err)
	}
	planned := hostsOf(place)
	result := verifyResult{Ranks: len(planned), Wrong: []verify.Wrong{}}
	if p.plan != "" {
		plan, kind, err := p.readPlacement(p.plan, "")
		if err != nil {
			return err
		}
		planned = hostsOf(plan)
		result.Ranks = len(planned)
		result.Wrong = verify.Compare(planned, hostsOf(place))
		if launcher.HoldsSlots(format) && launcher.HoldsSlots(kind) && !place.Bound && !plan.Bound {
			result.Wrong = append(result.Wrong, otherSlots(plan, place)...)
			slices.SortFunc(result.Wrong, func(a, b verify.Wrong) int { return a.Rank - b.Rank })
		}
	}
	result.Hosts = len(distinct(planned))
	if len(result.Wrong) > 0 || !p.run {
		slots := ", each on a slot of its own"
		if place.Bound {
			slots = "; what they are bound to is not checked"
		}
		fine := fmt.Sprintf("%s (%s): %d ranks on %d hosts%s", p.mapping, format, result.Ranks, result.Hosts, slots)
		if p.plan != "" {
			fine = fmt.Sprintf("%d ranks are on the hosts that %s plans", result.Ranks, p.plan)
		}
		return p.writeVerified(&result, fine, "are placed on other hosts than planned", "")
	}
	outcome, err := p.runLauncher(ctx, place, planned, format, o, &result)
	if err != nil {
		return err
	}
	result.Wrong = verify.Compare(planned, outcome.Found)
	result.Ignored = verify.Ignored(planned, outcome.Found)
	if outcome.Err != nil && len(result.Wrong) == 0 {
		return fail("its own message is above", "%s: every rank ran where it should, and then the launcher ended "+
			"with: %w\n%s", result.Launcher, outcome.Err, outcome.Said)
	}
	said := outcome.Said
	if outcome.Err != nil {
		said = strings.TrimSpace(said + "\n" + outcome.Err.Error())
	}
	return p.writeVerified(&result, fmt.Sprintf("%d ranks run where %s places them (%s, %d hosts)", result.Ranks,
		p.mapping, result.Launcher, result.Hosts), "do not run where they should", said)
}

// otherSlots are the ranks that have another slot of the planned host.
func otherSlots(plan, place *launcher.Placement) []verify.Wrong {
	var wrong []verify.Wrong
	for r := range min(plan.Ranks(), place.Ranks()) {
		if plan.HostName(r) == place.HostName(r) && plan.Slot[r] != place.Slot[r] {
			found := fmt.Sprintf("%s slot %d", place.HostName(r), place.Slot[r])
			wrong = append(wrong, verify.Wrong{Rank: r, Found: &found,
				Planned: fmt.Sprintf("%s slot %d", plan.HostName(r), plan.Slot[r])})
		}
	}
	return wrong
}

// verifyOptions are --bind and --host-cores, which change what --run starts and nothing else.
func (p *program) verifyOptions() (launcher.Options, error) {
	for _, name := range []string{"bind", "launcher", "timeout"} {
		if p.context.IsSet(name) && !p.run {
			return launcher.Options{}, usage("add --run", "--%s is for --run, which is missing", name)
		}
	}
	if p.context.IsSet("launcher") && strings.TrimSpace(p.launcher) == "" {
		return launcher.Options{}, usage("leave the option out for that of the "+
			"format", "--launcher: the value is empty")
	}
	if p.timeout < 0 {
		return launcher.Options{}, usage("0 is no limit", "--timeout must not be negative: %v", p.timeout)
	}
	return p.launcherOptions()
}

// misplacement makes the answer no of a file that places ranks where they cannot be.
func (p *program) misplacement(err error) error {
	if !errors.Is(err, mapping.ErrMisplaced) {
		return err
	}
	if p.json {
		if err := p.writeJSON(verifyResult{Wrong: []verify.Wrong{}, Reason: err.Error()}); err != nil {
			return err
		}
	}
	return answerNo{err}
}

// distinct are the different names of a list.
func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// hostsOf names the host of every rank.
func hostsOf(place *launcher.Placement) []string {
	names := make([]string, place.Ranks())
	for r := range names {
		names[r] = place.HostName(r)
	}
	return names
}

// mostWrong is how many ranks people are shown.
const mostWrong = 20

// writeVerified prints the answer: fine, or, if ranks are wrong, no; said is what the launcher had to say.
func (p *program) writeVerified(result *verifyResult, fine, no, said string) error {
	if p.json {
		if err := p.writeJSON(result); err != nil {
			return err
		}
	} else if len(result.Wrong) == 0 {
		fmt.Fprintln(p.stdout, oneLine(fine))
	} else if err := p.writeWrong(result.Wrong); err != nil {
		return err
	}
	if len(result.Wrong) == 0 {
		return nil
	}
	for line := range strings.Lines(said) {
		p.say("launcher: %s", oneLine(strings.TrimRight(line, "\n")))
	}
	for _, note := range result.notes {
		p.say("note: %s", note)
	}
	if result.Ignored != "" {
		p.say("the launcher seems not to have used the file: %s", result.Ignored)
	}
	total := max(result.Ranks, result.Wrong[len(result.Wrong)-1].Rank+1)
	return answerNo{fail(p.wrongHint(result), "%d of %d ranks %s", len(result.Wrong), total, no)}
}

// wrongHint says what to do about ranks that are elsewhere.
func (p *program) wrongHint(result *verifyResult) string {
	any := func(is func(w verify.Wrong) bool) bool { return slices.ContainsFunc(result.Wrong, is) }
	known := map[string]bool{}
	for _, w := range result.Wrong {
		known[strings.ToLower(w.Planned)] = true
	}
	switch {
	case result.Line == "":
		return "remap convert --mapping " + p.plan + " writes the file again from the plan"
	case any(func(w verify.Wrong) bool { return verify.IsAddress(w.Planned) }):
		return "processes know the names of their hosts, not addresses: name the hosts in the file"
	case len(result.Wrong) == result.Ranks && any(func(w verify.Wrong) bool { return w.Found != nil }) &&
		!any(func(w verify.Wrong) bool { return w.Found != nil && known[strings.ToLower(*w.Found)] }):
		return "no host calls itself as the file does: name hosts as uname -n does there"
	case result.Ignored != "":
		return "is the launch line as remap printed it? " + result.Line
	}
	return "ranks without a host did not report: the launcher's own message says why"
}

// writeWrong is the table of ranks that are elsewhere.
func (p *program) writeWrong(wrong []verify.Wrong) error {
	table := grid{header: []string{"rank", "planned", "found"}}
	for _, w := range wrong[:min(len(wrong), mostWrong)] {
		found := "-"
		if w.Found != nil {
			found = *w.Found
		}
		planned := "-"
		if w.Planned != "" {
			planned = oneLine(w.Planned)
		}
		table.add(strconv.Itoa(w.Rank), planned, found)
	}
	under := ""
	if more := len(wrong) - mostWrong; more > 0 {
		under = fmt.Sprintf("and %d more", more)
	}
	out := &output{stdout: p.stdout}
	return out.write(func(w io.Writer) error {
		return (&report{table: table, under: under}).write(w, "text", terminalWidth(p.stdout))
	})
}
