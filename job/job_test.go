package job

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// No host keeps many more slots than there are ranks, and what is left is bounded.
func TestClipSlots(t *testing.T) {
	a := &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 4096, 1 << 20}}
	if err := clipSlots(a, 5, ""); err != nil || !slices.Equal(a.Slots, []int32{1, 4096, 4096}) {
		t.Errorf("%v, slots %v", err, a.Slots)
	}
	many := &mapping.Allocation{Hosts: make([]int32, 1<<14), Slots: slices.Repeat([]int32{4097}, 1<<14)}
	err := clipSlots(many, 4097, "file")
	if err == nil || !strings.Contains(err.Error(), "file: 67125248 slots on 16384 hosts are too many") ||
		input.Hint(err) == "" {
		t.Errorf("4097 slots on 2^14 hosts: %v", err)
	}
	if err := clipSlots(many, 65, "file"); err != nil {
		t.Errorf("4096 slots on 2^14 hosts: %v", err)
	}
}

// Sends leave over the fastest rail, what is received comes in over all rails.
func TestHostBoundOfRails(t *testing.T) {
	machine, err := topology.Read("net", strings.NewReader("Switch 8 \"s\"\n"+
		"[1] \"A\"[1] # \"a\" 4xEDR\n[2] \"A\"[2] # \"a\" 4xSDR\n[3] \"B\"[1] # \"b\" 4xSDR\n"+
		"[4] \"C\"[1] # \"c\" 4xSDR\n"+
		"Ca 2 \"A\" # \"a\"\n[1] \"s\"[1] # 4xEDR\n[2] \"s\"[2] # 4xSDR\n"+
		"Ca 1 \"B\" # \"b\"\n[1] \"s\"[3] # 4xSDR\nCa 1 \"C\" # \"c\"\n[1] \"s\"[4] # 4xSDR\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]HostBound{
		"ring:3,bytes=1000000": {"injection", 80000}, // 1 MB over 100 Gb/s
		"ring:1":               {},
	} {
		program, err := workload.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		j := &Job{Machine: machine, Whole: program,
			Allocation: &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 1, 1}}}
		if got := j.HostBound(); got != want || got.Known() != (want.BoundNS > 0) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for best, want := range map[int64]HostBound{1000: {"injection", 1000}, 999: {"injection", 1000}, 998: {}} {
		if got := (HostBound{"injection", 1000}).Unless(best); got != want {
			t.Errorf("best time %d ns: %+v, want %+v", best, got, want)
		}
	}
	gather := &workload.Program{Offsets: []int32{0, 0, 1, 2}, VolumeScale: 1,
		Ops: []workload.Op{{Kind: workload.Send, Peer: 0, Bytes: 1000000},
			{Kind: workload.Send, Peer: 0, Bytes: 1000000}}}
	j := &Job{Machine: machine, Whole: gather,
		Allocation: &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 1, 1}}}
	// 2 MB over 100 + 8 Gb/s.
	if got := j.HostBound(); got.Bound != "ejection" || got.BoundNS != 148148 {
		t.Errorf("gather: %+v", got)
	}
}

// Background jobs get hosts that no other job has, one a slot and in order; the
// job of interest keeps its own.
func TestPlaceBackground(t *testing.T) {
	o := DefaultOptions()
	o.Topology, o.Pattern, o.Hosts, o.RanksPerHost = "torus:4x4", "ring:4", "n[3-6]", 2
	o.Background = []string{"uniform:5", "ring:3@n9:1,n8", "ring:4"}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]int32{{3, 3, 4, 4}, {0, 0, 1, 1, 2}, {9, 8, 8}, {7, 7, 10, 10}}
	owner := map[int32]int{}
	for i, job := range j.Jobs(mapping.Identity(4)) {
		for r, h := range job.Hosts {
			if job.Hosts[r] != want[i][r] {
				t.Errorf("job %d: hosts %v, want %v", i, job.Hosts, want[i])
				break
			}
			if other, taken := owner[h]; taken && other != i {
				t.Errorf("host %d is of jobs %d and %d", h, other, i)
			}
			owner[h] = i
		}
	}
}

// A mistake is told with a hint, and whether the options themselves are wrong; warnings are values,
// also beside an error.
func TestOpenErrors(t *testing.T) {
	for reason, c := range map[string]struct {
		spoil func(*Options)
		usage bool
	}{
		"--topology is missing":         {func(o *Options) { o.Topology = "" }, true},
		"--pattern and --graph exclude": {func(o *Options) { o.Graph = "g" }, true},
		"--routing ugal: the network":   {func(o *Options) { o.Routing = "ugal" }, true},
		"host n3 is given to both": {func(o *Options) { o.Background = []string{"ring:4@n[3-6]"} },
			true},
		"9 ranks do not fit 2 slots": {func(o *Options) { o.Background = []string{"ring:9@n[4-5]"} },
			true},
		"8 ranks do not fit 4 slots on 4 hosts": {func(o *Options) { o.Pattern = "ring:8" }, false},
		"--grid: 2x3 has 6 cells for 4 ranks":   {func(o *Options) { o.Grid = "2x3" }, true},
		"--objective: ":                         {func(o *Options) { o.Objective = "none" }, true},
	} {
		o := DefaultOptions()
		o.Topology, o.Pattern, o.Hosts = "torus:4x4", "ring:4", "n[0-3]"
		c.spoil(&o)
		j, err := Open(o)
		var wrong *OptionError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), reason) || wrong.Usage != c.usage ||
			Hint(err) == "" {
			t.Errorf("%v, want %q", err, reason)
		}
		if j == nil || j.Machine != nil || j.Traffic != nil {
			t.Errorf("%s: beside the error there is %+v", reason, j)
		}
	}
	o := DefaultOptions()
	o.Topology, o.Pattern, o.Phases, o.Fixed = "torus:4x4", "ring:4", PhasesApart, "0=none"
	j, err := Open(o)
	if err == nil || len(j.Warnings) != 1 ||
		!strings.HasPrefix(j.Warnings[0], "--phases apart changes nothing") {
		t.Errorf("%v, warnings %q", err, j.Warnings)
	}
}
