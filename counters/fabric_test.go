package counters

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"remap/topology"
)

// fabricOf is a generated network as its fabric file, with LIDs.
func fabricOf(t interface{ Fatal(...any) }, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := topology.WriteIBNetDiscover(&text, machine); err != nil {
		t.Fatal(err)
	}
	read, err := topology.ReadIBNetDiscover("fabric", strings.NewReader(withLIDs(text.String())))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

var (
	blockLine = regexp.MustCompile(`(?m)^(Switch.*# ".*")$`)
	cableLine = regexp.MustCompile(`(?m)^(\[\d+\]\s+"([^"]+)".*) lid 0 `)
	idOf      = regexp.MustCompile(`"([SH]-[0-9a-f]+)"`)
)

// withLIDs numbers the devices of a fabric file from 1.
func withLIDs(text string) string {
	lids := map[string]int{}
	for _, found := range idOf.FindAllStringSubmatch(text, -1) {
		if lids[found[1]] == 0 {
			lids[found[1]] = len(lids) + 1
		}
	}
	text = blockLine.ReplaceAllStringFunc(text, func(line string) string {
		return fmt.Sprintf("%s port 0 lid %d lmc 0", line, lids[idOf.FindStringSubmatch(line)[1]])
	})
	return cableLine.ReplaceAllStringFunc(text, func(line string) string {
		return strings.Replace(line, " lid 0 ", fmt.Sprintf(" lid %d ", lids[idOf.FindStringSubmatch(line)[1]]), 1)
	})
}

// snapshot reads what perfquery would have printed.
func snapshot(t interface{ Fatal(...any) }, text string) *Snapshot {
	s := NewSnapshot()
	if err := s.ReadPerfquery("snapshot", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

// printed is WritePerfquery as text.
func printed(t interface{ Fatal(...any) }, machine *topology.Topology, ports []PortCounters) string {
	var text bytes.Buffer
	if err := WritePerfquery(&text, machine, ports); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

const smallTree = "fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=1,aggs-per-pod=2,cores=0"

// Every link of a fabric file knows its port, and is found by it.
func TestIndexFindsEveryPort(t *testing.T) {
	machine := fabricOf(t, smallTree)
	x := newIndex(machine)
	for l := range machine.Links {
		p := &machine.Ports[l]
		for _, name := range []portName{{lid: p.LID, number: p.Number}, {guid: p.GUID, number: p.Number},
			{guid: p.Node, number: p.Number}} {
			if name.lid == 0 && name.guid == 0 {
				continue // the first host's id in a generated file
			}
			if found, known := x.ofPort(&port{portName: name}); !known || found != int32(l) {
				t.Errorf("link %d: %+v gives %d, %v", l, name, found, known)
			}
		}
	}
	if _, known := x.ofPort(&port{portName: portName{lid: 60000, number: 1}}); known {
		t.Error("a strange LID was found")
	}
}
