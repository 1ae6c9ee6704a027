package job

import (
	"errors"
	"fmt"
	"io/fs"

	"remap/input"
)

// OptionError is an option that is wrong by itself or beside others. It speaks of options as the
// command line does: --ranks-per-host is Options.RanksPerHost.
type OptionError struct {
	// Usage: the options are wrong, not what they name, such as the content of a file.
	Usage bool
	// Hint is what the user can do; may be empty.
	Hint string
	// Err is the reason.
	Err error
}

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *OptionError) Unwrap() error { return e.Err }

// Usage is an error in the options themselves.
func Usage(hint, format string, args ...any) error {
	return &OptionError{Usage: true, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Failure is an error in what the options ask for.
func Failure(hint, format string, args ...any) error {
	return &OptionError{Hint: hint, Err: fmt.Errorf(format, args...)}
}

// InOption says which option an error came from. An error that names its file
// is left as it is: FILE:LINE:COLUMN comes first on the line.
func InOption(name string, err error) error {
	var wrong *input.Error
	var path *fs.PathError
	if errors.As(err, &wrong) && wrong.File != "" || errors.As(err, &path) {
		return err
	}
	return Usage(Hint(err), "--%s: %w", name, err)
}

// Hint is the advice that err carries, if any.
func Hint(err error) string {
	var e *OptionError
	if errors.As(err, &e) && e.Hint != "" {
		return e.Hint
	}
	return input.Hint(err)
}
