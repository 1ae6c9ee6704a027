package topology

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	blockHead = regexp.MustCompile(`^(?:Switch|Ca)\s+\d+ "[SH]-([0-9a-f]+)"`)
	blockPort = regexp.MustCompile(`^\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"[SH]-([0-9a-f]+)"\[(\d+)\](?:\([0-9a-f]+\))?\s+#.* lid (\d+) 4x`)
)

// agree holds the ports of a network against what a plain search for lines finds
// in its file: every line is a link from port to port.
func agree(t *testing.T, machine *Topology, text string) (lines int) {
	t.Helper()
	type key struct {
		node   uint64
		number int32
	}
	at := map[key]int32{}
	for l := range machine.Ports {
		p := &machine.Ports[l]
		if p.Number != machine.Links[l].FromPort || p.Lanes != 4 {
			t.Fatalf("link %d leaves port %d and %+v", l, machine.Links[l].FromPort, *p)
		}
		at[key{p.Node, p.Number}] = int32(l)
	}
	hex := func(s string) uint64 { n, _ := strconv.ParseUint(s, 16, 64); return n }
	block := uint64(0)
	for _, line := range strings.Split(text, "\n") {
		if head := blockHead.FindStringSubmatch(line); head != nil {
			block = hex(head[1])
		}
		found := blockPort.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		lines++
		number, _ := strconv.Atoi(found[1])
		peer, _ := strconv.Atoi(found[4])
		lid, _ := strconv.Atoi(found[5])
		l, known := at[key{block, int32(number)}]
		if !known {
			t.Fatalf("no link for %q", line)
		}
		far := machine.Ports[machine.Reverse(l)]
		if far.Node != hex(found[3]) || far.Number != int32(peer) || far.LID != uint32(lid) {
			t.Fatalf("%q leads to %+v", line, far)
		}
		if found[2] != "" && machine.Ports[l].GUID != hex(found[2]) {
			t.Fatalf("%q leaves %+v", line, machine.Ports[l])
		}
	}
	return lines
}

// Every link of a real fabric knows GUIDs, LID and number of its port.
func TestPortsOfRealFabric(t *testing.T) {
	path := filepath.Join("..", "..", "shared", "data", "ib-loginoff", "topo.ibnetdiscover")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skip("skipped: ../shared is absent")
	}
	machine, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := agree(t, machine, string(text)); lines != len(machine.Links) {
		t.Errorf("%d lines of ports for %d links", lines, len(machine.Links))
	}
	switches := 0
	for l, p := range machine.Ports {
		if !machine.IsHost(machine.Links[l].From) {
			switches++
			if p.DeviceID != 0xc738 {
				t.Errorf("a switch of device id %#x", p.DeviceID)
			}
		} else if p.Device != "mlx4_0" {
			t.Errorf("an adapter %q", p.Device)
		}
	}
	if switches == 0 {
		t.Error("no switch ports")
	}
}

const twoRails = `# Topology file: generated
devid=0xd2f0
Switch 4 "S-00000000000000aa" # "leaf" port 0 lid 9 lmc 0
[3] "H-00000000000000bb"[1](00000000000000b1) # "node mlx5_0" lid 4 4xHDR
[1] "H-00000000000000cc"[1](00000000000000c1) # "node mlx5_1" lid 5 4xHDR
[2] "H-00000000000000dd"[2](00000000000000d2) # "other HCA-1" lid 6 4xHDR
devid=0x101b
Ca 1 "H-00000000000000bb" # "node mlx5_0"
[1](00000000000000b1) "S-00000000000000aa"[3] # lid 4 lmc 0 "leaf" lid 9 4xHDR
Ca 1 "H-00000000000000cc" # "node mlx5_1"
[1](00000000000000c1) "S-00000000000000aa"[1] # lid 5 lmc 0 "leaf" lid 9 4xHDR
Ca 2 "H-00000000000000dd" # "other HCA-1"
[2](00000000000000d2) "S-00000000000000aa"[2] # lid 6 lmc 0 "leaf" lid 9 4xHDR
`

// Rails of one host have the same port number and are told apart; ports follow
// their links when others fail.
func TestPortsOfRails(t *testing.T) {
	machine, err := ReadIBNetDiscover("fabric", strings.NewReader(twoRails))
	if err != nil {
		t.Fatal(err)
	}
	if lines := agree(t, machine, twoRails); lines != len(machine.Links) {
		t.Errorf("%d lines of ports for %d links", lines, len(machine.Links))
	}
	less, err := Degrade(machine, []string{"node:leaf/0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for l := range less.Links {
		if less.Ports[l] != machine.Ports[less.LinkNumber(int32(l))] {
			t.Errorf("link %d has port %+v", l, less.Ports[l])
		}
	}
	if machine.Ports[0].Device != "mlx5_0" || machine.Ports[1].Device != "mlx5_1" ||
		len(less.Ports) != len(machine.Ports)-2 {
		t.Errorf("%+v", machine.Ports)
	}
}

// The list form names ports by LID, number and GUID.
func TestPortsOfList(t *testing.T) {
	machine, err := ReadIBNetDiscover("list", strings.NewReader(
		"CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'leaf' )\n"+
			"CA   133  1 0x7cfe9003003b4b96 2x EDR - SW  1719 11 0x7cfe9003009ce5b0 ( 'o0002 HCA-1' - 'leaf' )\n"+
			"SW  1719 11 0x7cfe9003009ce5b0 2x EDR - CA   133  1 0x7cfe9003003b4b96 ( 'leaf' - 'o0002 HCA-1' )\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []FabricPort{
		{Node: 0x7cfe9003003b4bde, GUID: 0x7cfe9003003b4bde, LID: 134, Number: 1, Lanes: 4, Device: "HCA-1"},
		{Node: 0x7cfe9003003b4b96, GUID: 0x7cfe9003003b4b96, LID: 133, Number: 1, Lanes: 2, Device: "HCA-1"},
		{Node: 0x7cfe9003009ce5b0, GUID: 0x7cfe9003009ce5b0, LID: 1719, Number: 10, Lanes: 4},
		{Node: 0x7cfe9003009ce5b0, GUID: 0x7cfe9003009ce5b0, LID: 1719, Number: 11, Lanes: 2},
	}
	for l := range want {
		if machine.Ports[l] != want[l] {
			t.Errorf("link %d: %+v, want %+v", l, machine.Ports[l], want[l])
		}
	}
}

// Each direction has its own share of the rate; the rest stays.
func TestThrottle(t *testing.T) {
	machine, err := Parse("torus:4x4")
	if err != nil {
		t.Fatal(err)
	}
	share := make([]float64, len(machine.Links))
	for l := range share {
		share[l] = float64(l+1) / float64(len(share))
	}
	slow, err := Throttle(machine, share)
	if err != nil {
		t.Fatal(err)
	}
	if err := slow.Check(); err != nil {
		t.Error(err)
	}
	for l := range share {
		if got, was := slow.Links[l], machine.Links[l]; got.BytesPerSecond != was.BytesPerSecond*share[l] ||
			got.From != was.From || was.BytesPerSecond != machine.Links[0].BytesPerSecond {
			t.Fatalf("link %d: %+v", l, got)
		}
	}
	for _, wrong := range []float64{0, -1, 1.5} {
		share[3] = wrong
		if _, err := Throttle(machine, share); err == nil {
			t.Errorf("a share of %g is no error", wrong)
		}
	}
	if _, err := Throttle(machine, share[1:]); err == nil {
		t.Error("too few shares are no error")
	}
}
