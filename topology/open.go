package topology

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

var fileHint = "supported files: ibnetdiscover (also -p) and ibsim; " + specHint("")

// Open gives the network of a spec (see Parse) or of a file (see Read). What
// starts like a spec is one; write ./tapered for a file of that name.
func Open(specOrPath string) (*Topology, error) {
	kind, _, _ := strings.Cut(specOrPath, ":")
	switch kind {
	case "tapered", "full", "fattree", "xgft", "torus", "mesh", "dragonfly", "hyperx", "":
		return Parse(specOrPath)
	}
	file, err := os.Open(specOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		if strings.ContainsAny(specOrPath, ":=") && !strings.ContainsAny(specOrPath, "/.") {
			return Parse(specOrPath)
		}
		return nil, &input.Error{File: specOrPath, Reason: "no such file, and not a topology spec either",
			Hint: fileHint, Err: err}
	}
	if err != nil {
		hint := fileHint
		if errors.Is(err, fs.ErrPermission) {
			hint = "check the file's permissions"
		}
		return nil, &input.Error{File: specOrPath, Reason: "cannot be opened: " + cause(err), Hint: hint, Err: err}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, &input.Error{File: specOrPath, Reason: "is a folder, not a topology file", Hint: fileHint}
	}
	return Read(specOrPath, file)
}

// cause is the message of a path error without the path.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// Read reads a topology file, recognised by content; name is for messages and
// Topology.Name. Errors are *input.Error.
func Read(name string, r io.Reader) (*Topology, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return nil, &input.Error{File: name, Reason: "cannot be read: " + cause(err), Hint: "name a file", Err: err}
	}
	head = linescan.TrimMark(head)
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF {
		return nil, &input.Error{File: name, Reason: "the file is empty", Hint: fileHint}
	}
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		word, _, _ := bytes.Cut(line, []byte{' '})
		word, _, _ = bytes.Cut(word, []byte{'\t'})
		switch {
		case hasFold(line, "SwitchName="):
			return nil, &input.Error{File: name, Reason: "Slurm topology.conf is not supported yet", Hint: fileHint}
		case bytes.HasPrefix(line, []byte(dumpMark)), hasFold(line, "vendid="):
			return ReadIBNetDiscover(name, buffered)
		}
		switch string(word) {
		case "Switch", "Ca", "Hca", "Rt", "Router", "SW", "CA", "RT":
			return ReadIBNetDiscover(name, buffered)
		}
	}
	return nil, &input.Error{File: name, Reason: "not recognised as a topology file", Hint: fileHint}
}

func hasFold(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && strings.EqualFold(string(line[:len(prefix)]), prefix)
}
