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
}

func recordPath(testbed string) string { return filepath.Join(stateFolder, testbed+".json") }

// save keeps the record of a plan.
func save(p *Plan) error {
	kept := record{Source: p.Source, Options: p.Options}
	if _, err := os.Stat(kept.Source.Topology); err == nil { // a file: found from any folder
		absolute, err := filepath.Abs(kept.Source.Topology)
		if err != nil {
			return err
		}
		kept.Source.Topology = absolute
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
	return NewPlan(kept.Source, kept.Options)
}

// prefix begins the names of a testbed's namespaces. It is this project's own, so that Down takes
// no others.
func prefix(testbed string) string { return "remap-testbed." + testbed + "." }

var plainName = regexp.MustCompile(`^[\w-][\w.-]{0,99}$`)

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
