package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is a file that appears whole or not at all, or stdout.
type output struct {
	path   string // empty = stdout
	stdout io.Writer
	direct bool // a device or a pipe: nothing to rename
}

// openOutput checks a path before the work starts: its folder exists, it is no
// folder itself, and an existing file is only replaced with --force. Nothing
// is created yet. "" and "-" stand for stdout.
func (p *program) openOutput(path string) (*output, error) {
	if path == "" || path == "-" {
		return &output{stdout: p.stdout}, nil
	}
	o := &output{path: path}
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		if err := p.spareInputs(path, info); err != nil {
			return nil, err
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o, checkFolder(path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fail("name a file inside it", "%s: is a folder", path)
	case !info.Mode().IsRegular():
		o.direct = true
	case !p.force:
		return nil, fail("--force replaces it", "%s: the file exists already", path)
	}
	return o, nil
}

// spareInputs refuses to replace a file that the command reads, under whatever
// name and even with --force.
func (p *program) spareInputs(path string, info fs.FileInfo) error {
	reads := []struct{ option, path string }{
		{"graph", p.graph}, {"messages", p.messages}, {"topology", p.topology},
		{"hosts", p.hosts}, {"mapping", p.mapping}, {"previous", p.previous}, {"scenario", p.scenario},
	}
	for _, file := range p.backgroundFiles() {
		reads = append(reads, struct{ option, path string }{"background", file})
	}
	for _, read := range reads {
		if other, err := os.Stat(read.path); err == nil && os.SameFile(info, other) {
			return usage("write to another file", "%s: is read by --%s and will not be replaced", path, read.option)
		}
	}
	return nil
}

// differ refuses two outputs into one file.
func differ(a, b *output) error {
	if !a.toFile() || !b.toFile() {
		return nil
	}
	first, wrong := os.Stat(a.path)
	second, err := os.Stat(b.path)
	same := wrong == nil && err == nil && first.Mode().IsRegular() && os.SameFile(first, second)
	if wrong != nil && err != nil {
		same = place(a.path) == place(b.path)
	}
	if same {
		return usage("give each a file of its own", "--output and --links are both %s", a.path)
	}
	return nil
}

// place is where a file not yet there will be, links in its folder resolved.
func place(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, filepath.Base(path))
}

func checkFolder(path string) error {
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		return fail("create the folder first", "%s: its folder does not exist", path)
	}
	if !info.IsDir() {
		return fail("name a file in a folder", "%s: %s is not a folder", path, folder)
	}
	return nil
}

// toFile tells whether stdout stays free.
func (o *output) toFile() bool { return o.path != "" }

// write hands fill a buffer and puts its bytes in place in one step: a
// temporary file in the same folder, flushed to the disk, then renamed.
func (o *output) write(fill func(io.Writer) error) error {
	var content bytes.Buffer
	if err := fill(&content); err != nil {
		return err
	}
	if o.path == "" {
		if _, err := o.stdout.Write(content.Bytes()); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		return nil
	}
	if o.direct {
		return os.WriteFile(o.path, content.Bytes(), 0o666)
	}
	return replaceFile(o.path, content.Bytes())
}

func replaceFile(path string, content []byte) (err error) {
	aside := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
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
	if _, err = file.Write(content); err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(aside, path)
}
