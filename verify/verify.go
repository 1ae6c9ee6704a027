// Package verify proves a placement before node hours are spent: it starts a launcher with a one-line
// program in place of the user's, and compares who ran where with what was planned.
package verify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"remap/launcher"
)

// Wrong is a rank that runs elsewhere than planned.
type Wrong struct {
	Rank int `json:"rank"`
	// Planned is the name of the host; empty when no rank of that number was planned.
	Planned string `json:"planned"`
	// Found is the name of the host, nil when the rank did not report.
	Found *string `json:"found"`
}

// Compare lists the ranks whose host is not the planned one, by rank. planned and found name the host of
// every rank; "" = none. Names are compared without case and, where one of them has no dot, up to the
// first dot.
func Compare(planned, found []string) []Wrong {
	wrong := []Wrong{}
	for r := range max(len(planned), len(found)) {
		w := Wrong{Rank: r}
		if r < len(planned) {
			w.Planned = planned[r]
		}
		if r < len(found) && found[r] != "" {
			w.Found = &found[r]
		}
		if w.Found == nil && w.Planned == "" || w.Found != nil && sameHost(w.Planned, *w.Found) {
			continue
		}
		wrong = append(wrong, w)
	}
	return wrong
}

func sameHost(a, b string) bool {
	if !strings.Contains(a, ".") || !strings.Contains(b, ".") {
		a, _, _ = strings.Cut(a, ".")
		b, _, _ = strings.Cut(b, ".")
	}
	return strings.EqualFold(a, b)
}

// Run is one start of a launcher.
type Run struct {
	// Launch is the command; its Args[0] is replaced by Launcher where that is not empty.
	Launch launcher.Launch
	// Launcher is a program and options of it that come first.
	Launcher []string
	// Appended is what belongs behind the last of Launch.Args (Launch.FromFile).
	Appended string
	// Ranks is how many are expected.
	Ranks int
	// Timeout ends a launcher that hangs; 0 = never.
	Timeout time.Duration
}

// Outcome is what a launcher did.
type Outcome struct {
	// Found names the host of every rank, "" where it did not report; length at least Run.Ranks.
	Found []string
	// Said is the end of what the launcher wrote to standard error.
	Said string
	// Err is how the launcher ended; nil for exit status 0.
	Err error
}

// ErrNotStarted is what the error of Start wraps when the launcher cannot be run at all.
var ErrNotStarted = errors.New("the launcher cannot be started")

// answer is a line of the program that is started.
var answer = regexp.MustCompile(`(?m)remap-verify rank=([0-9]+) host=([A-Za-z0-9_.-]+)\s*$`)

// program prints the rank and the host of a process. Every word of it is ours.
func program(l launcher.Launch) []string {
	host := "$(uname -n)"
	if l.HostVariable != "" {
		host = "$" + l.HostVariable
	}
	return []string{"sh", "-c", fmt.Sprintf(`echo "remap-verify rank=$%s host=%s"`, l.RankVariable, host)}
}

// patience is how long a launcher that was asked to end may take.
const patience = 5 * time.Second

// Start runs the launcher to its end, or to that of ctx or the timeout, which end all that it has
// started on this machine. Errors: ctx's, and one that wraps ErrNotStarted.
func (r *Run) Start(ctx context.Context) (*Outcome, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if r.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, r.Timeout)
	}
	defer cancel()
	words := append([]string(nil), r.Launch.Args...)
	words[len(words)-1] += r.Appended
	if len(r.Launcher) > 0 {
		words = append(append([]string(nil), r.Launcher...), words[1:]...)
	}
	words = append(words, program(r.Launch)...)
	var output, said bytes.Buffer
	command := exec.CommandContext(limited, words[0], words[1:]...)
	command.Env = append(os.Environ(), r.Launch.Env...)
	command.Stdout, command.Stderr = &output, &said
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A launcher that is asked to end ends its ranks on other hosts, too.
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = patience
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	err := command.Wait()
	if limited.Err() != nil {
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // what is left of it
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	o := &Outcome{Found: make([]string, r.Ranks), Said: tail(said.String()), Err: err}
	if limited.Err() != nil {
		o.Err = fmt.Errorf("it did not end within %v", r.Timeout)
	}
	o.read(output.Bytes())
	return o, nil
}

// maxRank bounds the ranks that a launcher may report.
const maxRank = 1 << 24

// read takes the answers from what the processes have printed.
func (o *Outcome) read(output []byte) {
	for _, line := range answer.FindAllSubmatch(output, -1) {
		rank, err := strconv.Atoi(string(line[1]))
		if err != nil || rank >= maxRank {
			continue
		}
		for rank >= len(o.Found) {
			o.Found = append(o.Found, "")
		}
		o.Found[rank] = string(line[2])
	}
}

// tail is the last lines of a text.
func tail(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// Ignored says how a launcher has placed ranks that were planned elsewhere, when it looks as if it had
// not used the file: all on one host, or the hosts filled one after the other, or dealt out. "" = neither.
func Ignored(planned, found []string) string {
	if len(Compare(planned, found)) == 0 || len(planned) != len(found) {
		return ""
	}
	runs, first, cyclic := 0, map[string]int{}, true
	for r, host := range found {
		if host == "" {
			return ""
		}
		if r == 0 || found[r-1] != host {
			runs++
		}
		if _, seen := first[host]; !seen {
			first[host] = len(first)
		}
	}
	for r, host := range found {
		cyclic = cyclic && first[host] == r%len(first)
	}
	switch {
	case len(first) == 1:
		return "all ranks run on " + found[0]
	case runs == len(first):
		return "the ranks fill one host after the other"
	case cyclic:
		return "the ranks are dealt out over the hosts in turn"
	}
	return ""
}

var openMPIVersion = regexp.MustCompile(`\(Open MPI\) ([0-9]+)\.`)

// Choose picks the launch for the version of the launcher that is installed: of several, that of the
// version which PROGRAM --version names. Error: the program is not Open MPI's, wrapping ErrNotStarted
// where it cannot be run.
func Choose(ctx context.Context, launches []launcher.Launch, program string) (launcher.Launch, error) {
	if len(launches) == 1 {
		return launches[0], nil
	}
	if program == "" {
		program = launches[0].Args[0]
	}
	output, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil && len(output) == 0 {
		return launcher.Launch{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	found := openMPIVersion.FindSubmatch(output)
	if found == nil {
		line, _ := bufio.NewReader(bytes.NewReader(output)).ReadString('\n')
		return launcher.Launch{}, fmt.Errorf("%s is not that of Open MPI: it says %q", program, strings.TrimSpace(line))
	}
	major, _ := strconv.Atoi(string(found[1]))
	best := launches[0]
	for _, l := range launches {
		if l.Launcher == fmt.Sprintf("Open MPI %d", min(major, 5)) {
			best = l
		}
	}
	return best, nil
}
