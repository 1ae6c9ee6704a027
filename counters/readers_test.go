package counters

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/input"
)

const reported = `Errors for "stage1 mlx4_0"
   GUID 0x24be05ffff98a1b1 port 1: [VL15Dropped == 14] [PortXmitWait == 127475528 (121.570M)] [PortXmitData == 4242 (16.570KB)]
       Link info:    121   1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>  0xf4521403001165a0    128   32[  ] "MF0;ib5:SX6036/U1" ( )
Errors for 0x2c903006e29b0 "MF0;ib5:SX6036/U1"
   GUID 0x2c903006e29b0 port ALL: [PortXmitWait == 4294967295]
   GUID 0x2c903006e29b0 port 0: [PortXmitWait == 76959324]
   GUID 0x2c903006e29b0 port 7: [LinkDownedCounter == 8]
Data Counters for 0x2c903006e29b0 "MF0;ib5:SX6036/U1"
   GUID 0x2c903006e29b0 port 7: [PortXmitData == 99 (396.000B)] [PortRcvData == 0 (0.000)]

## Summary: 2 nodes checked, 2 bad nodes found
##          3 ports checked, 2 ports have errors beyond threshold
`

// What ibqueryerrors prints is read, sums over a switch and its own port 0 not.
func TestReadErrors(t *testing.T) {
	s := NewSnapshot()
	if err := s.ReadErrors("errors", strings.NewReader(reported)); err != nil {
		t.Fatal(err)
	}
	if s.Ports() != 2 {
		t.Fatalf("%d ports", s.Ports())
	}
	host, leaf := s.ports[portName{guid: 0x24be05ffff98a1b1, number: 1}],
		s.ports[portName{guid: 0x2c903006e29b0, number: 7}]
	if host.waited.value != 127475528 || host.sent.value != 4242 || host.received.known {
		t.Errorf("host: %+v", host)
	}
	if !leaf.waited.known || leaf.waited.value != 0 || leaf.sent.value != 99 || !leaf.received.known {
		t.Errorf("leaf: %+v", leaf)
	}
}

// Mistakes are told with line, column and what to do.
func TestReaderErrors(t *testing.T) {
	block := "# Port counters: Lid 5 port 1 (CapMask: 0x1400)\n"
	for _, c := range []struct {
		name, text   string
		errors       bool // of ibqueryerrors
		line, column int
		reason       string
	}{
		{"negative", block + "PortXmitData:....-5\n", false, 2, 18, "not a whole number"},
		{"no value", block + "PortXmitData:....\n", false, 2, 18, "not a whole number"},
		{"no colon", block + "PortXmitData\n", false, 2, 1, "expected NAME"},
		{"no port", "# Port counters: Lid 5\n", false, 1, 17, "no port number"},
		{"no LID", "# Port counters: DR path slid 0; dlid 0; 0,1 port 1\n", false, 1, 17, "no LID"},
		{"no header", "PortXmitData:...4\n", false, 1, 1, "before any line"},
		{"twice", block + "PortXmitData:...4\n" + block, false, 3, 17, "described twice, first on line 1"},
		{"tick", "# PortSamplesControl: Lid 5 port 1\nTick:....0x107\n", false, 2, 10, "not from 0 to 255"},
		{"prose", "hello\n", true, 1, 1, "expected Errors for"},
		{"no guid", "   GUID 12z port 1: [A == 4]\n", true, 1, 9, "not a GUID"},
		{"bad port", "   GUID 0x12 port x: [A == 4]\n", true, 1, 19, "not a number"},
		{"open bracket", "   GUID 0x12 port 1: [PortXmitWait == 4\n", true, 1, 23, "expected [NAME == VALUE]"},
		{"reported twice", "   GUID 0x12 port 1: [PortXmitWait == 4]\n   GUID 0x12 port 1: [PortXmitWait == " +
			"5]\n", true, 2, 1, "reported twice"},
	} {
		s := NewSnapshot()
		read := s.ReadPerfquery
		if c.errors {
			read = s.ReadErrors
		}
		err := read("file", strings.NewReader(c.text))
		var wrong *input.Error
		if !errors.As(err, &wrong) || wrong.Line != c.line || wrong.Column != c.column || wrong.Hint == "" ||
			!strings.Contains(wrong.Reason, c.reason) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The tick of perfquery -c counts before what the family would have.
func TestTickOfDump(t *testing.T) {
	machine := fabricOf(t, smallTree)
	lid := machine.Ports[0].LID
	block := func(waited string) string {
		name := strings.TrimSuffix(header(lid, 1), " ")
		return strings.Replace(name, "Port extended counters", "PortSamplesControl", 1) +
			"\nOpCode:....0xff\nTick:....0x01\n" + name + "\nPortXmitWait:...." + waited + "\n"
	}
	links, err := Difference(machine, snapshot(t, block("0")), snapshot(t, block("1000000")),
		Options{Seconds: 1, Tick: 255})
	if want := 1000000 * 2 * 4 / machine.Links[0].BytesPerSecond; err != nil ||
		!near(links.Congested[0], want, 1e-12) {
		t.Errorf("%v, %v, want %g", links.Congested[0], err, want)
	}
}

// A folder of files, one a node, is one snapshot; empty files and others are named.
func TestFolder(t *testing.T) {
	machine := fabricOf(t, smallTree)
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ports := make([]PortCounters, len(machine.Links))
	ports[0].SentWords = 1000
	write("perfquery.out", printed(t, machine, ports))
	write("perfquery__0x00000000000000000.out", "")
	write("LICENSE", "All rights\n")
	write("details.out", "# PortRcvErrorDetails counters: Lid 1 port 1\nPortSelect:......1\n")
	if err := os.Mkdir(filepath.Join(folder, "old"), 0o777); err != nil {
		t.Fatal(err)
	}
	links, err := Open(machine, []string{folder}, Options{Seconds: 4, Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(links.Warnings, "\n")
	if links.Rate[0] != 1000 || links.Count.Dead != 1 || !strings.Contains(all, "LICENSE, "+
		"details.out") || !strings.Contains(all, "perfquery__0x") {
		t.Errorf("%+v %q", links.Count, links.Warnings)
	}
	for path, reason := range map[string]string{"perfquery__0x00000000000000000.out": "empty",
		"LICENSE": "neither counters"} {
		if _, err := Open(machine, []string{filepath.Join(folder, path)}, Options{Tick: -1}); err == nil ||
			!strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
