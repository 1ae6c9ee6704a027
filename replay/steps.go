package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Step is one step of a job, as it was measured.
type Step struct {
	// Seconds is the time from the end of the step before, that of its slowest rank, to the end of
	// this one. Step 0 begins when the last rank has left the barrier before it.
	Seconds float64 `json:"seconds"`
	// Slowest is the rank that ended the step.
	Slowest int32 `json:"slowest"`
}

// maxTimes bounds ranks x steps: the memory of the times in Steps.
const maxTimes = 1 << 26

// maxOutputLine is the longest line that Steps looks at; longer ones are not a rank's.
const maxOutputLine = 4096

// Steps reads the output of a job of so many ranks and steps to its end. Lines that the programs of
// this package have not written go to others, in their order. If the times of ranks or steps are
// missing, the error names the first, and the steps before it are returned all the same.
func Steps(output io.Reader, ranks, steps int, others io.Writer) ([]Step, error) {
	if ranks < 1 || steps < 1 || steps > maxTimes/ranks {
		return nil, fmt.Errorf("%d steps of %d ranks: must be at least one each, and %d together", steps,
			ranks, maxTimes)
	}
	t := times{ranks: ranks, steps: steps, at: make([]int64, ranks*(steps+1))}
	for i := range t.at {
		t.at[i] = missing
	}
	err := t.read(output, others)
	result, incomplete := t.result()
	return result, errors.Join(err, incomplete)
}

// missing is the time of what has not been seen; the clock begins at 0.
const missing = -1

// times are the ends of steps, in ns.
type times struct {
	ranks, steps int
	at           []int64 // rank after rank, start and steps: [(step+1)*ranks + rank]
}

// read reads all lines. The first mistake is returned at the end: a writer must not wait for ever.
func (t *times) read(output io.Reader, others io.Writer) error {
	in := bufio.NewReaderSize(output, maxOutputLine)
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	long := false // inside a line that is too long
	for {
		line, err := in.ReadSlice('\n')
		ours := false
		if !long && err != bufio.ErrBufferFull {
			var problem error
			ours, problem = t.line(string(bytes.TrimRight(line, "\r\n")))
			keep(problem)
		}
		long = err == bufio.ErrBufferFull
		if !ours && len(line) > 0 {
			_, problem := others.Write(line)
			keep(problem)
		}
		if err != nil && !long {
			if err != io.EOF {
				keep(err)
			}
			return first
		}
	}
}

// line takes the time of a line; false if it is none of the programs' lines.
func (t *times) line(text string) (ours bool, err error) {
	f := strings.Split(text, " ")
	step := int64(-1)
	switch {
	case len(f) == 5 && f[0] == "step":
		if step, ours = whole(f[1]); !ours {
			return false, nil
		}
		f = f[2:]
	case len(f) == 4 && f[0] == "start":
		f = f[1:]
	default:
		return false, nil
	}
	rank, isRank := whole(f[1])
	at, isTime := whole(f[2])
	if f[0] != "rank" || !isRank || !isTime {
		return false, nil
	}
	switch {
	case rank >= int64(t.ranks):
		return true, fmt.Errorf("output line %q: the job has %d ranks", text, t.ranks)
	case step >= int64(t.steps):
		return true, fmt.Errorf("output line %q: the job has %d steps", text, t.steps)
	}
	slot := &t.at[int(step+1)*t.ranks+int(rank)]
	if *slot != missing {
		return true, fmt.Errorf("output line %q: rank %d has said this before", text, rank)
	}
	*slot = at
	return true, nil
}

// whole reads digits.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil && text[0] != '+'
}

// result is the steps up to the first that is not complete.
func (t *times) result() ([]Step, error) {
	var steps []Step
	var before int64
	for k := range t.steps + 1 {
		end, slowest := int64(math.MinInt64), int32(0)
		for r, at := range t.at[k*t.ranks : (k+1)*t.ranks] {
			if at == missing {
				return steps, t.incomplete(k)
			}
			if k > 0 && at < t.at[(k-1)*t.ranks+r] {
				return steps, fmt.Errorf("rank %d ends step %d before it begins", r, k-1)
			}
			if at > end {
				end, slowest = at, int32(r)
			}
		}
		if k > 0 {
			steps = append(steps, Step{float64(end-before) / 1e9, slowest})
		}
		before = end
	}
	return steps, nil
}

// incomplete is the error of missing times: k is the number of the step + 1.
func (t *times) incomplete(k int) error {
	var ranks []string
	count := 0
	for r, at := range t.at[k*t.ranks : (k+1)*t.ranks] {
		if at != missing {
			continue
		}
		if count++; count <= 8 {
			ranks = append(ranks, strconv.Itoa(r))
		}
	}
	names := strings.Join(ranks, ", ")
	if count > len(ranks) {
		names += fmt.Sprintf(" and %d more", count-len(ranks))
	}
	what := fmt.Sprintf("step %d of %d", k-1, t.steps)
	if k == 0 {
		what = "start"
	}
	return fmt.Errorf("the job did not print its %s on rank %s", what, names)
}
