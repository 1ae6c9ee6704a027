package mapping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
	"remap/topology"
)

// format is a way to write a mapping and read it back.
type format struct {
	name  string
	write func(w io.Writer, machine *topology.Topology, a *Allocation, m Mapping) error
	read  func(file string, r io.Reader, machine *topology.Topology, a *Allocation, ranks int) (Mapping, error)
}

func formats() []format {
	return []format{{"csv", written(WriteCSV), collected(ReadCSV)}, {"json", written(WriteJSON), collected(ReadJSON)}}
}

// written is a writer by hosts and slots for mappings.
func written(write func(io.Writer, []string, []int32) error) func(io.Writer, *topology.Topology, *Allocation,
	Mapping) error {
	return func(w io.Writer, machine *topology.Topology, a *Allocation, m Mapping) error {
		var hosts []string
		var slots []int32
		of, within := m.Hosts(a), a.SlotWithinHost()
		for r, s := range m {
			hosts, slots = append(hosts, machine.HostNames[of[r]]), append(slots, within[s])
		}
		return write(w, hosts, slots)
	}
}

// collected is a reader of entries for mappings.
func collected(read func(string, io.Reader, Reader) error) func(string, io.Reader, *topology.Topology, *Allocation,
	int) (Mapping, error) {
	return func(file string, r io.Reader, machine *topology.Topology, a *Allocation, ranks int) (Mapping, error) {
		c := NewCollector(file, machine, a, ranks)
		if err := read(file, r, c); err != nil {
			return nil, err
		}
		return c.Mapping()
	}
}

func TestFilesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawNetwork(t)
		a := drawAllocation(t, machine)
		m := drawMapping(t, rapid.IntRange(0, a.SlotCount()).Draw(t, "ranks"), a.SlotCount())
		expected := rapid.SampledFrom([]int{0, len(m)}).Draw(t, "expected")
		for _, f := range formats() {
			var text bytes.Buffer
			if err := f.write(&text, machine, a, m); err != nil {
				t.Fatal(err)
			}
			back, err := f.read("m", bytes.NewReader(text.Bytes()), machine, a, expected)
			if err != nil || !slices.Equal(back, m) {
				t.Fatalf("%s: %v, %v of\n%s", f.name, back, err, text.String())
			}
		}
	})
}

// Every cut through a file is refused, or is a shorter list of whole rows.
func TestCutFiles(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := allHosts(machine)
	for _, f := range formats() {
		var text bytes.Buffer
		if err := f.write(&text, machine, a, Mapping{3, 1, 0, 2}); err != nil {
			t.Fatal(err)
		}
		whole := bytes.TrimRight(text.Bytes(), "\n")
		for cut := range len(whole) {
			if m, err := f.read("m", bytes.NewReader(whole[:cut]), machine, a, 4); err == nil {
				t.Errorf("%s: cut after %d of %d bytes gives %v", f.name, cut, len(whole), m)
			}
		}
	}
}

func TestFileText(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := &Allocation{Hosts: []int32{3, 1}, Slots: []int32{2, 1}}
	want := []string{
		"rank,host,slot\n0,n3,1\n1,n1,0\n",
		"{\"ranks\": 2, \"mapping\": [\n  {\"rank\": 0, \"host\": \"n3\", \"slot\": 1},\n  {\"rank\": 1, " +
			"\"host\": \"n1\", \"slot\": 0}\n]}\n",
	}
	for i, f := range formats() {
		var text bytes.Buffer
		if err := f.write(&text, machine, a, Mapping{1, 2}); err != nil || text.String() != want[i] {
			t.Errorf("%s: %v\n%q, want\n%q", f.name, err, text.String(), want[i])
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "m: the mapping is empty",
		"rank,host\n":                 "m:1:1: the first line is not",
		"0,n0,0\n":                    "m:1:1: the first line is not",
		"rank,host,slot\n":            "m: rank 0 of 3 is missing",
		csvOf("0,n0"):                 "m:2:1: 2 fields",
		csvOf("x,n0,0"):               `m:2:1: rank "x"`,
		csvOf("-1,n0,0"):              `m:2:1: rank "-1"`,
		csvOf("4294967296,n0,0"):      `m:2:1: rank "4294967296"`,
		csvOf("0,n0,0", "1,n1,zero"):  `m:3:6: slot "zero"`,
		csvOf("3,n0,0"):               "m:2:1: rank 3 of a job of 3 ranks",
		csvOf("0,n0,0", "0,n1,0"):     "m:3:1: rank 0 was placed already, on line 2",
		csvOf("0,n9,0"):               `m:2:3: unknown host "n9"`,
		csvOf("0,n3,0"):               "m:2:3: host n3 is not one of the job's hosts",
		csvOf("0,n0,2"):               "m:2:6: slot 2 of host n0, which has 2",
		csvOf("0,n0,0", "", "2,n0,0"): "m:4:6: slot 0 of host n0 was taken already, by rank 0 on line 2",
		csvOf("0,n0,0", "2,n1,0"):     "m: rank 1 of 3 is missing",
		csvOf(`0,n"0,0`):              "m:2:4: bare",
	} {
		checkError(t, collected(ReadCSV), text, want)
	}
}

func csvOf(rows ...string) string { return "rank,host,slot\n" + strings.Join(rows, "\n") + "\n" }

func TestJSONErrors(t *testing.T) {
	one := `{"rank": 0, "host": "n0", "slot": 0}`
	for text, want := range map[string]string{
		"":                       "m:1:1: the mapping ends early",
		"[]":                     "m:1:1: [ instead of {",
		`{"ranks": 3}`:           "m: the mapping has 0 ranks but says 3",
		`{"ranks": -3}`:          "m:1:11: -3 ranks",
		`{"ranks": "x"}`:         "m:1:11: a string stands where",
		`{"mapping": []}`:        "m:1:16: the number of ranks is missing",
		`{"size": 3}`:            `m:1:10: unknown field "size"`,
		jsonOf(3, `{"rank": 0}`): "m:2:2: an entry without",
		jsonOf(3, one, one):      "m:3:2: rank 0 was placed already, on line 2",
		jsonOf(3, strings.Replace(one, "n0", "x", 1)): `m:2:2: unknown host "x"`,
		jsonOf(3, strings.Replace(one, "0,", "0.5,",
			1)): "m:2:2: a number 0.5 stands where",
		jsonOf(3, strings.Replace(one, "slot", "seat", 1)): `m:2:2: unknown field "seat"`,
		jsonOf(2, one, strings.NewReplacer("0", "1").Replace(strings.Replace(one, "\"slot\": 0", "\"slot\": 9",
			1))): "m:3:2: slot 9 of host n1, which has 1",
		jsonOf(4, one, `{"rank": 1, "host": "n0", "slot": 1}`, `{"rank": 2, "host": "n1", "slot": 0}`): "m: " +
			"the mapping has 3 ranks but says 4",
		jsonOf(3, one) + "x": "m:2:40: text after the end",
	} {
		checkError(t, collected(ReadJSON), text, want)
	}
}

// jsonOf writes entries one a line, from line 2, column 2.
func jsonOf(ranks int, entries ...string) string {
	return fmt.Sprintf("{\"ranks\": %d, \"mapping\": [", ranks) + "\n " + strings.Join(entries, ",\n ") + "]}"
}

// checkError reads a mapping of three ranks for hosts n0 (2 slots) and n1 of four.
func checkError(t *testing.T, read func(string, io.Reader, *topology.Topology, *Allocation, int) (Mapping,
	error), text, want string) {
	t.Helper()
	machine := mustNetwork(t, "torus:4")
	a := &Allocation{Hosts: []int32{0, 1}, Slots: []int32{2, 1}}
	m, err := read("m", strings.NewReader(text), machine, a, 3)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q gives %v, %v; want an error that begins %q", text, m, err, want)
	}
	var located *input.Error
	if !errors.As(err, &located) || located.Hint == "" {
		t.Errorf("%q gives %v without a hint", text, err)
	}
}

func TestTooManyRanksExpected(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	var few *TooFewSlots
	if _, err := collected(ReadCSV)("m", strings.NewReader("rank,host,"+
		"slot\n"), machine, allHosts(machine), 5); !errors.As(err, &few) || few.Slots != 4 || few.Hosts != 4 {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(csvOf("0,n0,0", "1,n1,0", "2,n0,1"))
	f.Add(csvOf("0,\"n0\",0", "99999999999999999999,n1,0"))
	f.Add(jsonOf(2, `{"rank": 0, "host": "n0", "slot": 0}`, `{"rank": 1, "host": "n0", "slot": 1}`))
	f.Add(`{"ranks": 2147483647, "mapping": []}`)
	machine := mustNetwork(f, "torus:4")
	a := &Allocation{Hosts: []int32{0, 1}, Slots: []int32{2, 1}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range formats() {
			m, err := format.read("m", strings.NewReader(text), machine, a, 0)
			if err != nil {
				continue
			}
			if err := m.Check(3); err != nil {
				t.Fatalf("%s read %v: %v", format.name, m, err)
			}
			var again bytes.Buffer
			if err := format.write(&again, machine, a, m); err != nil {
				t.Fatal(err)
			}
			back, err := format.read("m", &again, machine, a, len(m))
			if err != nil || !slices.Equal(back, m) {
				t.Fatalf("%s: %v written and read is %v, %v", format.name, m, back, err)
			}
		}
	})
}
