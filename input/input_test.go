package input_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"remap/input"
)

// Only the parts of the place that are known are printed.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]input.Error{
		"f:3:7: bad": {File: "f", Line: 3, Column: 7, Reason: "bad"},
		"f:3: bad":   {File: "f", Line: 3, Reason: "bad"},
		"f: bad":     {File: "f", Column: 7, Reason: "bad"},
		"bad":        {Line: 3, Column: 7, Reason: "bad"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%+v prints %q, want %q", e, got, want)
		}
	}
}

// The hint and the cause are found through errors that wrap the error.
func TestHintAndCause(t *testing.T) {
	err := fmt.Errorf("job: %w", &input.Error{Reason: "bad", Hint: "do better", Err: fs.ErrNotExist})
	if got := input.Hint(err); got != "do better" {
		t.Errorf("hint %q", got)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if got := input.Hint(fs.ErrNotExist); got != "" {
		t.Errorf("hint %q of an error that has none", got)
	}
}
