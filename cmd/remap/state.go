package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remap/feedback"
)

// noMatter are options on which the steps of a search do not depend: where
// results go, how fast, and when to stop.
var noMatter = []string{"output", "o", "format", "force", "json", "timing", "quiet", "q", "progress", "workers", "budget", "state", "rounds", "simulations",
	"judge-repeats", "control", "report", "check-model"}

// openState opens the journal of --state; nil without it.
func (p *program) openState() (*feedback.Journal, error) {
	if p.state == "" {
		return nil, nil
	}
	identity, err := p.identity()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.state, 0o755); err != nil {
		return nil, fail("--state names a folder that can be written", "--state: %w", err)
	}
	journal, err := feedback.OpenJournal(filepath.Join(p.state, "journal"), identity)
	switch {
	case errors.Is(err, feedback.ErrOtherRun):
		return nil, fail("give the options of that run, or another folder", "--state %w", err)
	case err != nil:
		return nil, fail("give another folder, or remove the file", "--state %w", err)
	}
	if known := journal.Known(); known > 0 {
		p.say("going on behind %d steps that %s holds", known, p.state)
	}
	return journal, nil
}

// identity is every option that matters with its values, and of those that name
// files the content too.
func (p *program) identity() (string, error) {
	b := thisBuild()
	lines := []string{fmt.Sprintf("version %s %s", b.Version, b.Revision)}
	for _, f := range p.context.Command.Flags {
		name := f.Names()[0]
		if slices.Contains(noMatter, name) {
			continue
		}
		values := p.context.StringSlice(name)
		if values == nil {
			values = []string{fmt.Sprint(p.context.Value(name))}
		}
		line := "--" + name
		for _, value := range values {
			line += fmt.Sprintf(" %q", value)
			if info, err := os.Stat(value); value != "" && err == nil && (info.Mode().IsRegular() || info.IsDir() && name == "measured") {
				sum, err := pathSum(value, info)
				if err != nil {
					return "", err
				}
				line += " with content " + sum
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), nil
}
