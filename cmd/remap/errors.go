package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"remap/input"
	"remap/job"
)

// Errors of options are those of package job, which has their exit codes and advice.
var (
	usage    = job.Usage    // an error in the command line itself: exit code 2
	fail     = job.Failure  // an error in what the command line asked for: exit code 1
	inOption = job.InOption // says which option an error came from
	hintOf   = job.Hint
)

// reportError prints err as one line, its hint as another, and returns the exit
// code; command is empty as long as it is not known.
func reportError(stderr io.Writer, command string, err error) int {
	code := exitFailed
	var wrong *job.OptionError
	if errors.As(err, &wrong) && wrong.Usage {
		code = exitUsage
	}
	kind := "error: "
	if no := (answerNo{}); errors.As(err, &no) {
		code, kind, err = exitNo, "no: ", no.error
	}
	fmt.Fprintf(stderr, "remap: %s%s\n", kind, oneLine(message(err)))
	hint := hintOf(err)
	if hint == "" {
		hint = usualHint(command, err)
	}
	fmt.Fprintf(stderr, "remap: hint: %s\n", oneLine(hint))
	return code
}

// usualHint is the advice for errors that carry none.
func usualHint(command string, err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "check the permissions of the file and of its folder"
	case errors.Is(err, syscall.ENOSPC):
		return "free some space, or write to another disk"
	case errors.Is(err, context.Canceled) && command == "optimize":
		return "not even the start was evaluated yet; fewer --repeats or a smaller --max-packets evaluate it sooner"
	case errors.Is(err, context.Canceled):
		return "the same command does it all again; optimize --output FILE keeps the best mapping when interrupted"
	case command == "":
		command = "COMMAND"
	}
	return "remap " + command + " --help lists the options"
}

// message is the text of err, in the form PATH: reason for errors of the
// operating system.
func message(err error) string {
	var path *fs.PathError
	var wrong *input.Error
	switch {
	case errors.As(err, &wrong):
		return err.Error() // says more than the operating system
	case errors.As(err, &path):
		return fmt.Sprintf("%s: %v", path.Path, path.Err)
	case errors.Is(err, context.Canceled):
		return "interrupted: nothing was written"
	}
	return err.Error()
}

// oneLine keeps names with line breaks, and very long ones, from breaking the
// promise of one line.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	const most = 2000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
