package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// measure runs a page's commands and returns what they told, as Markdown. Where there are
// several, each output has its command above it. What the failing one told comes with the error.
func (p page) measure(root string) (string, error) {
	var out strings.Builder
	for _, line := range p.Command {
		text, err := runLine(root, line)
		if err != nil {
			return out.String() + text, err
		}
		if len(p.Command) > 1 {
			fmt.Fprintf(&out, "\n`%s`\n\n", line)
		}
		out.WriteString(strings.Trim(text, "\n") + "\n")
	}
	return out.String(), nil
}

// runLine runs one command. A go test is run with -json, which tells log from log, and not
// from the cache.
func runLine(root, line string) (string, error) {
	shown, tests := strings.CutPrefix(line, "go test ")
	before, after, inside := strings.Cut(line, " go test ")
	switch {
	case inside:
		line, tests = before+" go test -json -count=1 "+after, true
	case tests:
		line = "go test -json -count=1 " + shown
	}
	run := exec.Command("sh", "-c", line)
	run.Dir, run.Stderr = root, os.Stderr
	stdout, err := run.Output()
	if !tests {
		return blockMarkdown(string(stdout)), err
	}
	log, readErr := readTests(string(stdout))
	for _, line := range log.trouble {
		fmt.Fprint(os.Stderr, line)
	}
	entries := log.told()
	if err = errors.Join(err, readErr); err == nil && len(entries) == 0 {
		err = errors.New("no test logged anything")
	}
	return logMarkdown(entries), err
}

// buildRemap builds ./remap if a command runs it.
func buildRemap(root string, chosen []page) error {
	uses := func(p page) bool { return strings.Contains(strings.Join(p.Command, "\n"), "./remap ") }
	if !slices.ContainsFunc(chosen, uses) {
		return nil
	}
	build := exec.Command("go", "build", "-o", "remap", "./cmd/remap")
	build.Dir, build.Stderr = root, os.Stderr
	return build.Run()
}

// commitOf names the commit of the tree, with "+ changes" where files differ from it. The
// documentation, of which the pages are part, does not count.
func commitOf(root string) (string, error) {
	head := exec.Command("git", "rev-parse", "--short", "HEAD")
	head.Dir, head.Stderr = root, os.Stderr
	name, err := head.Output()
	if err != nil {
		return "", err
	}
	status := exec.Command("git", "status", "--porcelain", "--", ":/", ":!/docs")
	status.Dir, status.Stderr = root, os.Stderr
	changes, err := status.Output()
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(name))
	if len(changes) > 0 {
		commit += " + changes"
	}
	return commit, nil
}
