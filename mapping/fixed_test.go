package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/topology"
)

// Hosts n3, n0 and n2 of four with 2, 1 and 3 slots: slots 0 1 | 2 | 3 4 5.
func fixedPlaces(t testing.TB) (*topology.Topology, *Allocation) {
	machine, err := topology.Parse("torus:4")
	if err != nil {
		t.Fatal(err)
	}
	return machine, &Allocation{Hosts: []int32{3, 0, 2}, Slots: []int32{2, 1, 3}}
}

func TestFixedRanks(t *testing.T) {
	machine, a := fixedPlaces(t)
	for list, want := range map[string][]int32{
		"1=n3:1":           {-1, 1, -1, -1},
		"1=n3":             {-1, 0, -1, -1},
		"3=n2,0=n2,2=n2":   {4, -1, 5, 3},
		"3=n2:2,0=n0,2=n2": {2, -1, 3, 5},
	} {
		got, err := ParseFixed(list, machine, a, 4)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", list, got, err, want)
			continue
		}
		file := "rank,host,slot\n"
		hosts, within := a.HostOfSlot(), a.SlotWithinHost()
		for r, s := range got {
			if s >= 0 {
				file += fmt.Sprintf("%d,%s,%d\n", r, machine.HostNames[hosts[s]], within[s])
			}
		}
		if again, err := ReadFixed("f.csv", strings.NewReader(file), machine, a, 4); err != nil ||
			!slices.Equal(again, want) {
			t.Errorf("%s: the same as a file: %v, %v", list, again, err)
		}
	}
	if fixed, err := ReadFixed("f.csv", strings.NewReader("rank,host,"+
		"slot\n"), machine, a, 2); err != nil || !slices.Equal(fixed, []int32{-1, -1}) {
		t.Errorf("no rows: %v, %v", fixed, err)
	}
}

func TestFixedErrors(t *testing.T) {
	machine, a := fixedPlaces(t)
	for list, want := range map[string]string{
		"":                "is not RANK=HOST:SLOT",
		"0":               "is not RANK=HOST:SLOT",
		"0=":              "is not RANK=HOST:SLOT",
		"x=n3":            `rank "x" is not a whole number`,
		"-1=n3":           `rank "-1" is not`,
		"0=n3:x":          `slot "x" is not a whole number`,
		"0=n3:-1":         "slot -1 of host n3, which has 2",
		"0=n3:2":          "slot 2 of host n3, which has 2",
		"0=n0,1=n0":       "slot 1 of host n0, which has 1",
		"0=n9":            `unknown host "n9"`,
		"0=n1":            "host n1 is not one of the job's hosts",
		"4=n3":            "rank 4 of a job of 4 ranks",
		"0=n3,0=n2":       "rank 0 was placed already",
		"0=n3:1,1=n3:1":   "slot 1 of host n3 was taken already, by rank 0",
		"0=n3:1,,1=n3":    `"" is not RANK=HOST:SLOT`,
		"0=n3:9999999999": "is not a whole number",
	} {
		_, err := ParseFixed(list, machine, a, 4)
		var wrong *input.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) || wrong.Hint == "" ||
			strings.HasSuffix(err.Error(), "line 0") {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
	_, err := ReadFixed("f.csv", strings.NewReader("rank,host,slot\n1,n3,0\n2,n3,0\n"), machine, a, 4)
	if err == nil || !strings.Contains(err.Error(), "f.csv:3:6: slot 0 of host n3 was taken already, by "+
		"rank 1 on line 2") {
		t.Errorf("a slot twice: %v", err)
	}
}

func FuzzParseFixed(f *testing.F) {
	machine, a := fixedPlaces(f)
	for _, list := range []string{"1=n3:1", "3=n2,0=n2,2=n2", "0=n0,1=n0", "=,:", "0=n3:2"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		fixed, err := ParseFixed(list, machine, a, 4)
		if err != nil {
			if input.Hint(err) == "" {
				t.Fatalf("%q: %v without a hint", list, err)
			}
			return
		}
		taken := map[int32]bool{}
		for _, s := range fixed {
			if s >= 0 && (taken[s] || int(s) >= a.SlotCount()) {
				t.Fatalf("%q: %v", list, fixed)
			}
			taken[s] = true
		}
	})
}
