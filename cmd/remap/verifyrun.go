package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"remap/commgraph"
	"remap/internal/files"
	"remap/launcher"
	"remap/mapping"
	"remap/verify"
	"slices"
	"strings"
)

// runLauncher starts the launcher with a one-line program.
func (p *program) runLauncher(ctx context.Context, place *launcher.Placement, planned []string, format string,
	o launcher.Options, result *verifyResult) (*verify.Outcome, error) {
	hostfile, remove, err := p.companion(place, format)
	if err != nil {
		return nil, err
	}
	defer remove()
	launches := launcher.Launches(format, p.mapping, hostfile, place, o)
	if len(launches) == 0 || launches[0].RankVariable == "" {
		if format == "hosts" {
			return nil, usage("say which: --mapping-format "+strings.Join(runnable(place), ", "),
				"--run: %s may be for several launchers", p.mapping)
		}
		return nil, usage("formats that can be run: "+strings.Join(runnable(place), ", "),
			"--run: a %s file cannot be proven by a program without MPI", format)
	}
	words := strings.Fields(p.launcher)
	if len(words) == 0 {
		words = launches[0].Args[:1]
	}
	launch, err := p.chooseLaunch(ctx, launches, words)
	if err != nil {
		return nil, notStarted(words[0], err)
	}
	launch.Args = append(words, launch.Args[1:]...)
	run := verify.Run{Launch: launch, Ranks: place.Ranks(), Timeout: p.timeout, Tries: mostTries,
		Planned: planned}
	if launch.FromFile {
		content, err := p.inputBytes(p.mapping)
		if err != nil {
			return nil, err
		}
		run.Appended = strings.TrimSpace(string(content))
	}
	result.Launcher, result.Line = words[0], launch.Line("PROGRAM")
	p.say("running: %s", launch.Line(quoted(verify.Program(launch, verify.Stay))))
	result.notes = launch.Notes
	spinner := p.newMeter("waiting for the launcher", 0)
	outcome, err := run.Start(ctx)
	spinner.stop()
	if err != nil {
		return nil, notStarted(words[0], err)
	}
	if outcome.Tries > 1 {
		p.say("started %d times: the launcher ended well, and ranks had not run", outcome.Tries)
	}
	return outcome, nil
}

// quoted is a command for people: its last word, a script of ours, in quotes.
func quoted(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], " ") + " '" + words[last] + "'"
}

// mostTries is how often a launcher is started that leaves out ranks and says nothing.
const mostTries = 3

// chooseLaunch picks the launch of the version that is installed.
func (p *program) chooseLaunch(ctx context.Context, launches []launcher.Launch,
	words []string) (launcher.Launch, error) {
	if p.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.timeout)
		defer cancel()
	}
	return verify.Choose(ctx, launches, words...)
}

func notStarted(program string, err error) error {
	if !errors.Is(err, verify.ErrNotStarted) {
		return err
	}
	return fail("--launcher names another program; run verify where the job's launcher is installed", "%s: %w",
		program, err)
}

// runnable are the formats whose launcher tells a program its rank.
func runnable(place *launcher.Placement) []string {
	return slices.DeleteFunc(launcher.Formats(), func(name string) bool {
		launches := launcher.Launches(name, "", "", place, launcher.Options{})
		return len(launches) == 0 || launches[0].RankVariable == ""
	})
}

// inputBytes reads a mapping file whole.
func (p *program) inputBytes(path string) ([]byte, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mapping.MaxFile))
}

// companion is the host file that belongs to a launcher's file: the one beside it if it is that of the
// mapping, else one in a private folder, which remove takes away.
func (p *program) companion(place *launcher.Placement, format string) (path string, remove func(),
	err error) {
	if !launcher.HasCompanion(format) {
		return "", func() {}, nil
	}
	beside := p.mapping + launcher.CompanionSuffix
	var own bytes.Buffer
	if err := launcher.WriteCompanion(&own, place); err != nil {
		return "", nil, err
	}
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		if content, err := p.inputBytes(beside); err == nil && bytes.Equal(content, own.Bytes()) {
			return beside, func() {}, nil
		}
		p.say("warning: %s is not the host file of this mapping, and is not used", beside)
	}
	folder, err := os.MkdirTemp("", "remap-verify-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, "hosts")
	if err := files.Replace(path, func(w io.Writer) error {
		return launcher.WriteCompanion(w,
			place)
	}); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(folder))
	}
	return path, func() { os.RemoveAll(folder) }, nil
}
