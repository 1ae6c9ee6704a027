// Package verify proves a placement before node hours are spent: it starts a launcher with a one-line
// program in place of the user's, and compares who ran where with what was planned.
package verify

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
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
// every rank; "" = none. Names are compared without case. Where one of two names has no dot, they are
// compared up to the first dot, unless that is an address or the short name of several planned hosts.
func Compare(planned, found []string) []Wrong {
	whole := notShort(planned)
	wrong := []Wrong{}
	for r := range max(len(planned), len(found)) {
		w := Wrong{Rank: r}
		if r < len(planned) {
			w.Planned = planned[r]
		}
		if r < len(found) && found[r] != "" {
			w.Found = &found[r]
		}
		if w.Found == nil && w.Planned == "" || w.Found != nil && sameHost(w.Planned, *w.Found, whole) {
			continue
		}
		wrong = append(wrong, w)
	}
	return wrong
}

// notShort are the short names of several of the hosts.
func notShort(names []string) map[string]bool {
	first, several := map[string]string{}, map[string]bool{}
	for _, name := range names {
		short, _, _ := strings.Cut(strings.ToLower(name), ".")
		if other, seen := first[short]; seen && !strings.EqualFold(other, name) {
			several[short] = true
		}
		first[short] = name
	}
	return several
}

func sameHost(a, b string, whole map[string]bool) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	shortA, _, dotsA := strings.Cut(strings.ToLower(a), ".")
	shortB, _, dotsB := strings.Cut(strings.ToLower(b), ".")
	return dotsA != dotsB && shortA == shortB && !whole[shortA] && !IsAddress(a) && !IsAddress(b)
}

// IsAddress tells an address from a name: processes know only the name of their host.
func IsAddress(host string) bool { return net.ParseIP(host) != nil }

// Run is one start of a launcher.
type Run struct {
	// Launch is the command.
	Launch launcher.Launch
	// Appended is what belongs behind the last of Launch.Args (Launch.FromFile).
	Appended string
	// Ranks is how many are expected.
	Ranks int
	// Tries is how often the launcher is started at most while it ends well, every rank that reported is
	// where it should be (Planned), and others did not report: Open MPI 4.1.4 was seen to leave out one to
	// three of 256 ranks on a busy machine, with exit status 0. 0 = once.
	Tries   int
	Planned []string

	stay string // seconds that ranks stay; empty = 1
	// Timeout ends a launcher that hangs; 0 = never.
	Timeout time.Duration
}

// Outcome is what a launcher did.
type Outcome struct {
	// Found names the host of every rank, "" where it did not report, and both joined by " and " where it
	// reported twice, as when a job is started twice; length at least Run.Ranks.
	Found []string
	// Said is the end of what the launcher wrote to standard error.
	Said string
	// Err is how the launcher ended; nil for exit status 0.
	Err error
	// Tries is how often it was started.
	Tries int
}

// ErrNotStarted is what the error of Start wraps when the launcher cannot be run at all.
var ErrNotStarted = errors.New("the launcher cannot be started")

// answer is a line of the program that is started.
var answer = regexp.MustCompile(`(?m)remap-verify rank=([0-9]+) host=([A-Za-z0-9_.-]+)\s*$`)

// Program prints the rank and the host of a process, and stays for a second: Open MPI 5.0.7 hangs, and
// 4.1.4 leaves out ranks, when ranks end before the last ones have started. Every word of it is ours.
func Program(l launcher.Launch, stay string) []string {
	host := "$(uname -n)"
	if l.HostVariable != "" {
		host = "$" + l.HostVariable
	}
	return []string{"sh", "-c",
		fmt.Sprintf(`echo "remap-verify rank=$%s host=%s"; sleep %s`, l.RankVariable, host, stay)}
}

// Stay is how long the program stays, in seconds.
const Stay = "1"

// patience is how long a launcher that was asked to end may take.
const patience = 5 * time.Second

// Start runs the launcher to its end, or to that of ctx or the timeout, which end all that it has
// started on this machine. Errors: ctx's, and one that wraps ErrNotStarted.
func (r *Run) Start(ctx context.Context) (*Outcome, error) {
	o, err := r.once(ctx)
	for tries := 2; tries <= r.Tries && err == nil && o.Err == nil && o.onlySilent(r.Planned); tries++ {
		if o, err = r.once(ctx); err == nil {
			o.Tries = tries
		}
	}
	return o, err
}

// onlySilent tells whether ranks did not report and all that did are where they should be.
func (o *Outcome) onlySilent(planned []string) bool {
	wrong := Compare(planned, o.Found)
	return len(wrong) > 0 && !slices.ContainsFunc(wrong, func(w Wrong) bool { return w.Found != nil })
}

// once starts the launcher once.
func (r *Run) once(ctx context.Context) (*Outcome, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if r.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, r.Timeout)
	}
	defer cancel()
	words := append([]string(nil), r.Launch.Args...)
	words[len(words)-1] += r.Appended
	words = append(words, Program(r.Launch, cmp.Or(r.stay, Stay))...)
	o := &Outcome{Tries: 1, Found: make([]string, r.Ranks)}
	output, said := &answers{outcome: o}, &end{}
	command := exec.CommandContext(limited, words[0], words[1:]...)
	command.Env = append(os.Environ(), r.Launch.Env...)
	command.Stdout, command.Stderr = output, said
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A launcher that is asked to end ends its ranks on other hosts, too.
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = patience
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	err := command.Wait()
	syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // what is left of it
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well, and left a process that kept the pipe open
	}
	output.flush()
	o.Said, o.Err = said.String(), err
	if limited.Err() != nil {
		o.Err = fmt.Errorf("it did not end within %v", r.Timeout)
	}
	return o, nil
}

// maxRank bounds the ranks that a launcher may report.
const maxRank = 1 << 24

// answers takes what the processes print, line by line, and keeps only the answers.
type answers struct {
	outcome *Outcome
	line    []byte
}

// maxAnswer is the longest line that can be an answer, in bytes.
const maxAnswer = 1 << 12

func (a *answers) Write(text []byte) (int, error) {
	for _, b := range text {
		switch {
		case b == '\n':
			a.flush()
		case len(a.line) < maxAnswer:
			a.line = append(a.line, b)
		}
	}
	return len(text), nil
}

func (a *answers) flush() {
	a.outcome.read(a.line)
	a.line = a.line[:0]
}

// read takes the answer from a line of output.
func (o *Outcome) read(line []byte) {
	found := answer.FindSubmatch(line)
	if found == nil {
		return
	}
	rank, err := strconv.Atoi(string(found[1]))
	if err != nil || rank >= maxRank {
		return
	}
	for rank >= len(o.Found) {
		o.Found = append(o.Found, "")
	}
	host := string(found[2])
	switch before := o.Found[rank]; {
	case before == "":
		o.Found[rank] = host
	case !strings.Contains(before, " and "):
		o.Found[rank] = before + " and " + host
	}
}

// end keeps the end of what is written to it.
type end struct{ text []byte }

func (e *end) Write(text []byte) (int, error) {
	const most = 16 << 10
	e.text = append(e.text, text...)
	if len(e.text) > 2*most {
		e.text = append(e.text[:0], e.text[len(e.text)-most:]...)
	}
	return len(text), nil
}

// String is the last lines.
func (e *end) String() string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(string(e.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// Ignored says how a launcher has placed ranks that were planned elsewhere, when it looks as if it had
// not used the file: all on one host, or the hosts filled one after the other, or dealt out. Ranks that
// did not report do not count. "" = neither.
func Ignored(planned, found []string) string {
	wrong := Compare(planned, found)
	if !slices.ContainsFunc(wrong, func(w Wrong) bool { return w.Found != nil }) {
		return ""
	}
	number := map[string]int{} // of the hosts, in the order in which ranks have them
	var runs []string
	for _, host := range found {
		if _, seen := number[host]; host != "" && !seen {
			number[host] = len(number)
		}
		if host != "" && (len(runs) == 0 || runs[len(runs)-1] != host) {
			runs = append(runs, host)
		}
	}
	cyclic := true
	for r, host := range found {
		cyclic = cyclic && (host == "" || number[host] == r%len(number))
	}
	switch {
	case len(number) == 1:
		return "all ranks run on " + runs[0]
	case len(runs) == len(number):
		return "the ranks fill one host after the other"
	case cyclic:
		return "the ranks are dealt out over the hosts in turn"
	}
	return ""
}

var openMPIVersion = regexp.MustCompile(`\(Open MPI\) ([0-9]+)\.`)

// Choose picks the launch for the version of the launcher that is installed: of several, that of the
// version which the program, with options of its own, names when asked for --version. Error: the program is
// not Open MPI's, wrapping ErrNotStarted where it cannot be run.
func Choose(ctx context.Context, launches []launcher.Launch, program ...string) (launcher.Launch, error) {
	if len(launches) == 1 {
		return launches[0], nil
	}
	command := exec.CommandContext(ctx, program[0], append(slices.Clone(program[1:]), "--version")...)
	command.WaitDelay = patience
	output, err := command.Output()
	if err != nil && len(output) == 0 {
		return launcher.Launch{}, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	found := openMPIVersion.FindSubmatch(output)
	if found == nil {
		line, _ := bufio.NewReader(bytes.NewReader(output)).ReadString('\n')
		return launcher.Launch{}, fmt.Errorf("%s is not that of Open MPI: it says %q", strings.Join(program, " "),
			strings.TrimSpace(line))
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
