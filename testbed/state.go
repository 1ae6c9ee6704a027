package testbed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"remap/input"
	"remap/internal/files"
	"remap/topology"
)

// Source says which network a testbed is of.
type Source struct {
	// Topology is a spec or a file, as topology.Open takes it.
	Topology string
	// Fail and Slow are cables that have failed or are slowed, as topology.Degrade takes them.
	Fail, Slow []string
}

// Open makes the network. Errors are those of topology.Open and topology.Degrade.
func (s Source) Open() (*topology.Topology, error) {
	t, err := topology.Open(s.Topology)
	if err != nil || len(s.Fail)+len(s.Slow) == 0 {
		return t, err
	}
	return topology.Degrade(t, s.Fail, s.Slow)
}

// stateFolder keeps what is up, until the machine starts anew.
const stateFolder = "/run/remap-testbed"

// record is what is kept of a testbed: enough to plan it again.
type record struct {
	Source  Source
	Options Options
	// Sum is the SHA-256 of the topology's file; empty for a spec.
	Sum string
}

// workFolder holds a folder for each testbed: the files of programs that run on it. Only root may
// write there, and programs may be started from there, unlike from /run.
const workFolder = "/var/cache/remap-testbed"

// Folder is a folder for files of what runs on the testbed. Down removes it.
func (p *Plan) Folder() string { return filepath.Join(workFolder, p.Options.Name) }

func recordPath(testbed string) string { return filepath.Join(stateFolder, testbed+".json") }

// save keeps the record of a plan.
func save(p *Plan) error {
	kept := record{Source: p.Source, Options: p.Options}
	var err error
	if kept.Sum, err = files.ContentSum(p.Source.Topology, false); err != nil {
		return err
	}
	if kept.Sum != "" { // a file: found from any folder
		if kept.Source.Topology, err = filepath.Abs(p.Source.Topology); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(p.Folder(), 0o755); err != nil {
		return err
	}
	return files.Replace(recordPath(p.Options.Name), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(kept)
	})
}

// load plans a testbed again that Up has recorded.
func load(testbed string) (*Plan, error) {
	text, err := os.ReadFile(recordPath(testbed))
	if errors.Is(err, os.ErrNotExist) {
		return nil, &input.Error{Reason: "no testbed " + testbed + " is up",
			Hint: "remap testbed up --topology SPEC --name " + testbed}
	}
	if err != nil {
		return nil, err
	}
	var kept record
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, &input.Error{File: recordPath(testbed), Reason: err.Error(), Err: err,
			Hint: "remap testbed down --name " + testbed + ", then up again"}
	}
	if sum, err := files.ContentSum(kept.Source.Topology, false); err != nil || sum != kept.Sum {
		return nil, errors.Join(err, &input.Error{File: kept.Source.Topology,
			Reason: "the file has changed since testbed " + testbed + " was built from it",
			Hint:   "remap testbed down --name " + testbed + ", then up again"})
	}
	return NewPlan(kept.Source, kept.Options)
}

// prefix begins the names of a testbed's namespaces. It is this project's own, so that Down takes
// no others.
func prefix(testbed string) string { return "remap-testbed." + testbed + "." }

// plainName is what a host may be called: part of a file's name, and no option of a shell. Open MPI
// cuts names at the first dot.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)

// nodeNamespace is the namespace of a node: by its name where a file can have that name.
func nodeNamespace(testbed, node string, number int) string {
	if !plainName.MatchString(node) {
		node = fmt.Sprintf("number.%d", number)
	}
	return prefix(testbed) + "node." + node
}

func headNamespace(testbed string) string { return prefix(testbed) + "head" }

func alreadyUp(testbed string, count int) error {
	if count == 0 {
		return nil
	}
	return &input.Error{Reason: fmt.Sprintf("testbed %s is up, or was left behind: %d "+
		"namespaces", testbed, count),
		Hint: "remap testbed down --name " + testbed + ", or another --name"}
}

func incomplete(testbed string, err error) error {
	return &input.Error{Reason: "testbed " + testbed + " is only in part there: " + err.Error(), Err: err,
		Hint: "remap testbed down --name " + testbed + ", then up again"}
}

// NamespacePath is the file of a host's network namespace, for nsenter --net.
func NamespacePath(testbed, host string) string {
	return "/run/netns/" + prefix(testbed) + "node." + host
}
