// Command remap maps MPI ranks to hosts using simulated congestion feedback.
//
// This package holds flags, files and exit codes, and no algorithm: every
// command loads a job (load.go), calls the packages that do the work, and
// writes what they return.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

// Exit codes that scripts rely on.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitNo     = 3 // the answer is no
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// program is one invocation: its streams and the values of its options.
type program struct {
	settings
	stdin          io.Reader
	stdout, stderr io.Writer
	app            *cli.App
	args           []string          // the command line, as given
	name           string            // of the command, once it is known
	origins        map[string]string // FILE:LINE of options that a scenario file sets
	context        *cli.Context      // of the command, once it is known
	clock          stopwatch
}

// run executes a command line (args[0] is the program's name) and returns the
// exit code. Data goes to stdout, everything else to stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if what := recover(); what != nil {
			code = reportError(stderr, "", defect(what))
		}
	}()
	// The first interrupt ends the work in order; after it the default holds
	// again, so that a second one ends the process at once. A terminal that is
	// closed interrupts too, unless nohup says otherwise.
	interrupts := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		interrupts = append(interrupts, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), interrupts...)
	defer stop()
	context.AfterFunc(ctx, stop)

	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, args: args}
	p.app = p.newApp()
	if len(args) > 0 {
		args = append([]string{p.app.Name}, valued(args[1:])...)
	}
	if err := p.app.RunContext(ctx, args); err != nil {
		return reportError(stderr, p.name, err)
	}
	return exitDone
}

// defect is the error of a panic.
func defect(what any) error {
	return fail("this is a defect of remap: please report it with the command line", "internal error: %v", what)
}

// valued gives --sampling its value where it stands without one.
func valued(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if (arg == "--sampling" || arg == "-sampling") && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")) {
			args[i] = arg + "=full"
		}
	}
	return args
}

// say prints a remark for people on stderr, unless --quiet.
func (p *program) say(format string, args ...any) {
	if !p.quiet {
		fmt.Fprintf(p.stderr, "%s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

// hint prints advice on stderr, unless --quiet.
func (p *program) hint(format string, args ...any) { p.say("remap: hint: "+format, args...) }
