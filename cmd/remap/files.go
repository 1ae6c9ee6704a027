package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"remap/internal/files"
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
	if strings.ContainsFunc(path, unicode.IsControl) {
		return nil, usage("name a file without", "%q: the name has control characters", path)
	}
	o := &output{path: path}
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		if err := p.spareInputs(path, info); err != nil {
			return nil, err
		}
	}
	if err := p.checkLink(path, info); err != nil {
		return nil, err
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

// checkLink keeps an output from going where a link leads: with --force the link itself is replaced. Links
// of the system to its own devices, such as /dev/stdout, are followed. target is what the link leads to, nil
// if there is nothing.
func (p *program) checkLink(path string, target fs.FileInfo) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	device := target != nil && !target.Mode().IsRegular() && !target.IsDir()
	switch {
	case device && (strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")):
		return nil
	case device:
		return fail("name the device itself, or another file", "%s: is a link to a device", path)
	case target != nil && target.IsDir():
		return nil // refused as a folder
	case !p.force:
		return fail("--force replaces the link itself, and not what it leads to", "%s: is a link", path)
	}
	return nil
}

// spareInputs refuses to replace a file that the command reads, under whatever
// name and even with --force.
func (p *program) spareInputs(path string, info fs.FileInfo) error {
	reads := []struct{ option, path string }{
		{"graph", p.Graph}, {"messages", p.Messages}, {"topology", p.Topology},
		{"hosts", p.Hosts}, {"mapping", p.mapping}, {"plan", p.plan}, {"previous", p.Previous}, {"fixed", p.Fixed},
		{"coordinates", p.Coordinates}, {"scenario", p.scenario}, {"before", p.plotted.before},
	}
	for _, file := range p.measuredFiles.Value() {
		reads = append(reads, struct{ option, path string }{"measured", file})
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

// namedOutput is an output and the option that names it.
type namedOutput struct {
	option string
	*output
}

// differ refuses two outputs into one file.
func differ(outputs ...namedOutput) error {
	for i, b := range outputs {
		for _, a := range outputs[:i] {
			if a.toFile() && b.toFile() && sameFile(a.path, b.path) {
				return usage("give each a file of its own", "--%s and --%s are both %s", a.option, b.option, a.path)
			}
		}
	}
	return nil
}

// sameFile tells whether two paths are one regular file, or will be.
func sameFile(a, b string) bool {
	first, wrong := os.Stat(a)
	second, err := os.Stat(b)
	if wrong != nil && err != nil {
		return place(a) == place(b)
	}
	return wrong == nil && err == nil && first.Mode().IsRegular() && os.SameFile(first, second)
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

// write hands fill a buffer and puts its bytes in place in one step.
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
	return files.Replace(o.path, func(w io.Writer) error {
		_, err := w.Write(content.Bytes())
		return err
	})
}

// stream is write for what is too large for a buffer: fill's bytes go to the
// file as they come, and are in place when it ends without an error.
func (o *output) stream(fill func(io.Writer) error) error {
	if !o.direct {
		return files.Replace(o.path, fill)
	}
	file, err := os.OpenFile(o.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = fill(file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}
