// Package files writes files that appear whole or not at all, and tells files of different
// content apart.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Replace fills a temporary file in the same folder, flushes it to the
// disk, and renames it.
func Replace(path string, fill func(io.Writer) error) (err error) {
	return ReplaceBy(fmt.Sprintf("%s.%d.tmp", path, os.Getpid()), path, fill)
}

// ReplaceBy is Replace by way of a temporary file `aside`, which must not be there. A link at path is
// replaced itself, not what it leads to; a file keeps its permissions. Nobody else reads the temporary file.
func ReplaceBy(aside, path string, fill func(io.Writer) error) (err error) {
	file, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = &fs.PathError{Op: cause.Op, Path: path, Err: cause.Err}
		}
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(aside)
		}
	}()
	mode, err := private(file, path)
	if err != nil {
		return errors.Join(about(path, err), file.Close())
	}
	to := bufio.NewWriterSize(file, 1<<16)
	if err = fill(to); err == nil {
		err = about(path, to.Flush())
	}
	if err == nil {
		err = about(path, file.Sync())
	}
	if err == nil {
		err = about(path, file.Chmod(mode))
	}
	if closing := file.Close(); err == nil {
		err = about(path, closing)
	}
	if err != nil {
		return err
	}
	return os.Rename(aside, path)
}

// private closes a new file to others while it is filled. mode is what it gets when it is in place: that of
// the file that it replaces, else what new files get here.
func private(file *os.File, path string) (mode fs.FileMode, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	mode = info.Mode().Perm()
	if before, wrong := os.Lstat(path); wrong == nil && before.Mode().IsRegular() {
		mode = before.Mode().Perm()
	}
	return mode, file.Chmod(0o600)
}

// about puts a path in front of an error.
func about(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}
