package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/feedback"
	"remap/internal/files"
	"remap/launcher"
	"remap/mapping"
)

// noMatter are options on which the steps of a search do not depend: where
// results go, how fast, and when to stop.
var noMatter = []string{"output", "o", "format", "force", "json", "timing", "quiet", "q", "progress",
	"workers", "budget", "state", "rounds", "simulations",
	"validation-repeats", "control", "report", "check-model"}

// openState opens the journal of --state and has the best mapping so far kept
// beside it; nil without the option.
func (p *program) openState(j *remap.Environment) (*feedback.Journal, func(mapping.Mapping) error, error) {
	if p.state == "" {
		return nil, nil, nil
	}
	identity, err := p.identity()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(p.state, 0o755); err != nil {
		return nil, nil, fail("--state names a folder that can be written", "--state: %w", err)
	}
	journal, err := feedback.OpenJournal(filepath.Join(p.state, "journal"), identity)
	switch {
	case errors.Is(err, feedback.ErrOtherRun):
		return nil, nil, fail("give the options of that run, or another folder", "--state: %w", err)
	case errors.Is(err, feedback.ErrBusy):
		return nil, nil, fail("wait until it ends, or give another folder", "--state: %w", err)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC):
		return nil, nil, err
	case err != nil:
		return nil, nil, fail("give another folder, or remove the file", "--state: %w", err)
	}
	if known := journal.Known(); known > 0 {
		p.say("going on behind %d steps that %s holds", known, p.state)
	}
	best := filepath.Join(p.state, "best."+launcher.Native)
	return journal, func(m mapping.Mapping) error {
		os.Remove(best + ".tmp") // left by a process that was killed: one at a time has the folder
		return files.ReplaceBy(best+".tmp", best, func(w io.Writer) error {
			return launcher.Write(w, launcher.Native, j.Machine, j.Allocation, m)
		})
	}, nil
}

// identity is the program, and every option that matters with its values; of those
// that name files the name and the content, wherever the file is.
func (p *program) identity() (string, error) {
	program, err := thisProgram()
	if err != nil {
		return "", err
	}
	lines := []string{"remap " + program}
	for _, f := range p.context.Command.Flags {
		name := f.Names()[0]
		if slices.Contains(noMatter, name) {
			continue
		}
		line := "--" + name
		values := []string{fmt.Sprint(p.context.Value(name))}
		if _, several := f.(*cli.StringSliceFlag); several {
			values = p.context.StringSlice(name)
		}
		for _, value := range values {
			file := value
			if name == "background" {
				_, file, _ = strings.Cut(value, "@")
			}
			sum, err := files.ContentSum(file, name == "measured")
			if err != nil {
				return "", fail("name a file that can be read again", "--%s: %w", name, err)
			}
			if sum != "" {
				value = strings.TrimSuffix(value, file) + filepath.Base(file)
			}
			line += fmt.Sprintf(" %q", value) + sum
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

// thisProgram is the version; of a build that does not know its revision, or has changes
// beside it, the program's own content.
func thisProgram() (string, error) {
	b := thisBuild()
	text := b.Version + " " + b.Revision
	if b.Revision != "" && !b.Modified {
		return text, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := files.ContentSum(path, false)
	return text + sum, err
}
