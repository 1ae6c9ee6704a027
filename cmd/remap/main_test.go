package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"remap/internal/testkit/tier"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"remap": func() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// shared is the folder of public data beside the project; "" when absent.
func shared(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", "shared"))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folder, "data")); err != nil || !info.IsDir() {
		return ""
	}
	return folder
}

// The scripts say what every command prints, writes and returns.
func TestScripts(t *testing.T) {
	data := shared(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SHARED", data)
			// Else each command waits a second before it ends, for races after main.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Condition: func(name string) (bool, error) {
			return name == "shared" && data != "" || name == "long" && tier.IsLong(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails": scriptFails,
			"only":  scriptOnly,
			"no":    scriptNo,
		},
	})
}

// scriptFails runs `fails CODE remap ...`: the command must return CODE, print
// nothing on stdout, one line of error and one of hint on stderr, and
// leave the folder as it was. The script can then look at the text by `stderr`.
func scriptFails(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: fails CODE COMMAND ARGS...")
	}
	before := listing(ts)
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		code = string(rune('0' + exit.ExitCode()))
	}
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	switch {
	case code != args[0]:
		ts.Fatalf("exit code %s, want %s; stderr:\n%s", code, args[0], stderr)
	case stdout != "":
		ts.Fatalf("a failure must not write to stdout:\n%s", stdout)
	case !strings.HasPrefix(lines[0], "remap: error: "):
		ts.Fatalf("stderr does not begin with remap: error: :\n%s", stderr)
	case len(lines) != 2 || !strings.HasPrefix(lines[1], "remap: hint: "):
		ts.Fatalf("stderr is not one error and one hint:\n%s", stderr)
	case strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "internal error"):
		ts.Fatalf("a crash:\n%s", stderr)
	}
	if after := listing(ts); after != before {
		ts.Fatalf("a failure must leave the folder as it was; before:\n%safter:\n%s", before, after)
	}
}

// scriptNo runs `no remap ...`: the answer is no, exit code 3, with a line of reason that begins
// remap: no: and one of hint at the end of stderr. What stdout holds the script can look at.
func scriptNo(ts *testscript.TestScript, negated bool, args []string) {
	err := ts.Exec(args[0], args[1:]...)
	exit, ok := err.(*exec.ExitError)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	last := len(lines) - 1
	if negated || !ok || exit.ExitCode() != exitNo || last < 1 ||
		!strings.HasPrefix(lines[last-1], "remap: no: ") || !strings.HasPrefix(lines[last], "remap: hint: ") {
		ts.Fatalf("want exit code 3, a reason and a hint; got %v, stderr:\n%s", err, strings.Join(lines, "\n"))
	}
}

// scriptOnly runs `only NAMES...`: the folder holds these and nothing else.
func scriptOnly(ts *testscript.TestScript, negated bool, args []string) {
	want := strings.Join(args, "\n") + "\n"
	if got := listing(ts); (got == want) == negated {
		ts.Fatalf("the folder holds:\n%s", got)
	}
}

// listing is the names and sizes in the script's folder.
func listing(ts *testscript.TestScript) string {
	entries, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	var b strings.Builder
	for _, e := range entries {
		if name := e.Name(); name != ".tmp" {
			b.WriteString(name + "\n")
		}
	}
	return b.String()
}

// runHere executes a command line in this process.
func runHere(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(append([]string{"remap"}, args...), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// A panic anywhere below run becomes one line.
func TestPanicIsOneLine(t *testing.T) {
	var errors bytes.Buffer
	code := run([]string{"remap", "version"}, nil, panicking{}, &errors)
	if code != exitFailed || !strings.HasPrefix(errors.String(), "remap: error: internal "+
		"error: ") || strings.Count(errors.String(), "\n") != 2 {
		t.Errorf("code %d, stderr:\n%s", code, errors.String())
	}
}

// panicking is a stdout that is broken beyond an error.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("broken") }

// A stdout that cannot be written to is an error.
func TestFullStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	defer full.Close()
	var errors bytes.Buffer
	if code := run([]string{"remap", "version"}, nil, full, &errors); code != exitFailed ||
		!strings.HasPrefix(errors.String(), "remap: error: /dev/full: no space") {
		t.Errorf("code %d, stderr:\n%s", code, errors.String())
	}
}

// A meter shows nothing before its delay and cleans up whenever it stops.
func TestMeter(t *testing.T) {
	var screen safeBuffer
	p := &program{stderr: &screen, settings: settings{progress: "always"}}
	m := p.newMeter("testing", 3)
	m.step()
	m.stop()
	if strings.Contains(screen.String(), "testing") {
		t.Errorf("work of less than %v shows %q", progressDelay, screen.String())
	}
	m = p.newMeter("testing", 3)
	m.step()
	waitFor(&screen, "testing 1/3")
	m.stop()
	for _, quiet := range []settings{{progress: "never"}, {progress: "auto"},
		{progress: "always", quiet: true}} {
		p := &program{stderr: &screen, settings: quiet}
		if p.newMeter("", 1).bar != nil {
			t.Errorf("%+v shows progress", quiet)
		}
	}
}
