package launcher

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/mapping"
	"remap/topology"
)

// Whatever a file holds, every reader ends with a valid placement or an error with a hint, and what it
// has read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"rank 0=n0 slot=0\nrank 1=n1 slot=0\n",
		"rank 1 = n0  slots = 1 # here\r\n// and\nrank\t0=n1 slot=0",
		"rank 99999999999999999999=n0 slot=0:0-1",
		"rank 0=n0 slot=0:*\nrank 1=n0 slot=p1\nrank 2=n1 slot=0-3,5;1:2",
		"rank,host,slot\n0,n0,0\n",
		"{\"ranks\": 1, \"mapping\": [{\"rank\": 0, \"host\": \"n0\", \"slot\": 1}]}",
		"n0\n# c\nn1 # d\nn0\n",
		"n0 slots=2 max_slots=4\nn1\nn0 slots=1\n",
		"n0:2\nn1:1 binding=user:0\n", "n0:16777216\nn0:0\n", ":1\n",
		"n0 2\nn1 1\n", "n0 x\n",
		"0,2,\n1\n", "0-2", "2-0", "0-99999999", ",,",
		"[[0,2,1,1],[0,1,1,1]]", "{\"version\":1,\"map\":[[0,2,1,1]]}", "[[0,1,9223372036854775807,1]]", "[[]]",
		"[[0,9223372036854775807,1,9223372036854775807]]", "[[-1,1,1,1]]",
		"LSB_TASK_GEOMETRY=\"{(2,0)(1)}\"\n", "{(0)(1)(2)(3)}", "export " +
			"LSB_TASK_GEOMETRY='{(0}'", "{()}", "{(0)}{(1)}",
		"rank 0=n0 slot=67000000", "n0:65536\nn1:65536\n",
		"rank,new_rank\n0,2\n1,0\n2,1\n", "rank,new_rank\n0,9\n",
	} {
		f.Add(seed)
	}
	hosts := []topology.HostSlots{{Name: "n0", Slots: 2}, {Name: "n1", Slots: 1}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range append(Formats(), "") {
			if named, err := HostsIn("m", strings.NewReader(text), name); err != nil {
				checkFuzzError(t, name, err)
			} else if _, err := ReadPlacement("m", strings.NewReader(text), name, named, 0); err != nil {
				checkFuzzError(t, name, err)
			}
			p, err := ReadPlacement("m", strings.NewReader(text), name, hosts, 0)
			if err != nil {
				checkFuzzError(t, name, err)
				continue
			}
			if err := p.Mapping().Check(3); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			checkWrittenAgain(t, p)
		}
	})
}

func checkFuzzError(t *testing.T, name string, err error) {
	var wrong *input.Error
	var few *mapping.TooFewSlots
	if !errors.As(err, &wrong) && !errors.As(err, &few) && !errors.Is(err, ErrNoHosts) {
		t.Fatalf("%s: %T %v", name, err, err)
	}
	if wrong != nil && (wrong.Hint == "" || strings.Contains(wrong.Reason, "\n")) {
		t.Fatalf("%s: no hint, or more than a line: %q", name, err)
	}
}

// checkWrittenAgain writes a placement in every format that holds it.
func checkWrittenAgain(t *testing.T, p *Placement) {
	for _, name := range Formats() {
		if Check(name, p, Options{}) != nil {
			continue
		}
		var again bytes.Buffer
		if err := WritePlacement(&again, name, p, Options{}); err != nil {
			t.Fatal(err)
		}
		back, err := ReadPlacement("m", &again, name, p.Hosts, p.Ranks())
		if err != nil || !slices.Equal(back.Host, p.Host) {
			t.Fatalf("%s: %v written and read is %v, %v", name, p, back, err)
		}
	}
}
