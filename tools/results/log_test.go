package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// events writes `go test -json` of lines "TEST>LINE" and "TEST!ACTION".
func events(t *testing.T, lines ...string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range lines {
		e := event{Action: "output"}
		if test, action, found := strings.Cut(line, "!"); found {
			e.Test, e.Action = test, action
		} else {
			e.Test, e.Output, _ = strings.Cut(line, ">")
			e.Output += "\n"
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	return out.String()
}

func markdownOf(t *testing.T, lines ...string) string {
	t.Helper()
	log, err := readTests(events(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return logMarkdown(log.told())
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLogsBecomeMarkdown(t *testing.T) {
	expect(t, markdownOf(t,
		"TestX>=== RUN   TestX",
		"TestX>progress, printed",
		"TestX>    x_test.go:12: times of 3 seeds:",
		"TestX>        | job | us |",
		"TestX>        |---|---|",
		"TestX>        | a | 1.0 |",
		"TestX>        | limits | us |",
		"TestX>        |---|---|",
		"TestX>        | b | 2.0 |",
		"TestX>        ",
		"TestX>        two lines",
		"TestX>          of text",
		"TestX>--- PASS: TestX (0.01s)",
		"TestX!pass",
		">PASS",
		">ok  \tremap/benchmarks\t0.1s"),
		"times of 3 seeds:\n\n| job | us |\n|---|---|\n| a | 1.0 |\n\n| limits | us |\n|---|---|\n| b | 2.0 |\n\n"+
			"    two lines\n      of text")
}

// A table whose rows subtests log one by one is one table; subtests with tables of their own
// have headings.
func TestSubtestsAreShown(t *testing.T) {
	expect(t, markdownOf(t,
		"TestV>    v_test.go:1: | job | us |", "TestV>        |---|---|",
		"TestV/a>=== RUN   TestV/a", "TestV/a>    v_test.go:2: | a | 1 |",
		"TestV/b>    v_test.go:2: | b | 2 |"),
		"| job | us |\n|---|---|\n| a | 1 |\n| b | 2 |")
	expect(t, markdownOf(t,
		"TestS/one_job>    s_test.go:3: ", "TestS/one_job>        | job |", "TestS/one_job>        |---|",
		"TestS/one_job>        | a |", "TestS/two>    s_test.go:3: | job |", "TestS/two>        |---|",
		"TestS/two>        | b |"),
		"## one job\n\n| job |\n|---|\n| a |\n\n## two\n\n| job |\n|---|\n| b |")
}

// A test that logs a whole table has in it what its subtests logged.
func TestParentSpeaksForSubtests(t *testing.T) {
	expect(t, markdownOf(t,
		"TestP/a>    p_test.go:2: ", "TestP/a>        | job |", "TestP/a>        |---|", "TestP/a>        | a |",
		"TestP>    p_test.go:4: | job |", "TestP>        |---|", "TestP>        | a |"),
		"| job |\n|---|\n| a |")
}

// Tests that ran beside each other are told one after the other.
func TestSeveralTests(t *testing.T) {
	expect(t, markdownOf(t,
		"TestA>    a_test.go:1: | a |", "TestA>        |---|",
		"TestB>    b_test.go:1: | b |", "TestB>        |---|",
		"TestA>    a_test.go:2: | 1 |", "TestB>    b_test.go:2: | 2 |"),
		"## A\n\n| a |\n|---|\n| 1 |\n\n## B\n\n| b |\n|---|\n| 2 |")
}

func TestSkippedTestsAreNotShown(t *testing.T) {
	log, err := readTests(events(t, "TestQ>    q_test.go:2: skipped: no data", "TestQ!skip"))
	if err != nil || len(log.told()) != 0 || len(log.trouble) != 1 {
		t.Errorf("told %v, trouble %v, error %v", log.told(), log.trouble, err)
	}
}

// go test -json breaks lines of more than some kilobytes into events.
func TestLongLinesComeWhole(t *testing.T) {
	text := `{"Action":"output","Test":"TestL","Output":"    l_test.go:1: | a "}` + "\n" +
		`{"Action":"output","Test":"TestL","Output":"| b |\n"}`
	log, err := readTests(text)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, logMarkdown(log.told()), "| a | b |")
}

func TestBrokenOutputIsAnError(t *testing.T) {
	if _, err := readTests("FAIL remap [build failed]"); err == nil {
		t.Error("no error")
	}
}

func TestOutputOfPrograms(t *testing.T) {
	expect(t, blockMarkdown("a  b\n1  2\n\n| c |\n|---|\n| 3 |\n"),
		"    a  b\n    1  2\n\n\n| c |\n|---|\n| 3 |")
}
