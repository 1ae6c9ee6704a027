package counters

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/input"
	"remap/sampling"
	"remap/simfiles"
	"remap/topology"
	"remap/workload"
)

func readSamples(machine *topology.Topology, text string) (*Samples, error) {
	return ReadSamples(machine, "run.csv", strings.NewReader(text))
}

// What receivers have concluded is read back from the links file of a run, whatever the
// exact columns beside it hold.
func TestSamplesOfLinksFile(t *testing.T) {
	machine := parse(t, smallTree)
	program, err := workload.ParsePattern("uniform:4,rounds=3")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	jobs := []evalsim.Job{{Program: program, Hosts: []int32{0, 1, 2, 3}}}
	results, err := evalsim.Repeat(context.Background(), machine, jobs, o, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := simfiles.WriteLinks(&file, machine, results, simfiles.LinksOptions{}); err != nil {
		t.Fatal(err)
	}
	want := sampling.NewTable(o.Sampling, len(machine.Links))
	for _, r := range results {
		want.Merge(r.Samples[0])
	}
	// Columns of the administrator with nonsense in them: they are not read.
	lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		fields := strings.Split(lines[i], ",")
		for _, c := range []int{4, 5, 6, 7, 8, 16, 17, 18, 19} {
			fields[c] = "unread"
		}
		lines[i] = strings.Join(fields, ",")
	}
	s, err := readSamples(machine, strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for l := range machine.Links {
		e := want.Links[l]
		if s.Packets[l] != math.Round(e.Packets) || s.Congested[l] != math.Round(e.Congested) {
			t.Errorf("link %d: %g packets, %g congested, want %+v", l, s.Packets[l], s.Congested[l], e)
		}
		crossed := e.Packets > 0
		if s.Known[l] != crossed {
			t.Errorf("link %d told: %v with %g packets", l, s.Known[l], e.Packets)
		}
		if crossed {
			told++
		}
	}
	if told == 0 || s.Links != told || len(s.Warnings) != 0 {
		t.Errorf("%d links, %d told, %q", s.Links, told, s.Warnings)
	}
}

// Rows come back in any order, with any estimates; noise around 0 tells of no packet.
func TestSamplesRoundTrip(t *testing.T) {
	machine := parse(t, smallTree)
	rapid.Check(t, func(t *rapid.T) {
		n := len(machine.Links)
		packets, congested, low := make([]float64, n), make([]float64, n), make([]float64, n)
		rows := make([]string, n)
		for l := range machine.Links {
			link := &machine.Links[l]
			packets[l] = rapid.Float64Range(-1e6, 1e6).Draw(t, "packets")
			congested[l] = rapid.Float64Range(-1e6, 1e6).Draw(t, "congested")
			low[l] = packets[l] - rapid.Float64Range(0, 1e6).Draw(t, "error")
			rows[l] = fmt.Sprintf("%s,%d,%s,%g,%g,%g\n", machine.NodeName(link.From), link.FromPort,
				machine.NodeName(link.To), packets[l], low[l], congested[l])
		}
		low[0], packets[0] = 1, 2
		link := &machine.Links[0]
		rows[0] = fmt.Sprintf("%s,%d,,2,1,%g\n", machine.NodeName(link.From), link.FromPort, congested[0])
		rows = rapid.Permutation(rows).Draw(t, "rows")
		head := "from,port,to,est_packets,est_packets_low,est_congested_packets\n"
		s, err := readSamples(machine, head+strings.Join(rows, ""))
		if err != nil {
			t.Fatal(err)
		}
		for l := range low {
			if s.Packets[l] != packets[l] || s.Congested[l] != congested[l] || s.Known[l] != (low[l] > 0) {
				t.Fatalf("link %d: %g %g %v, want %g %g, low %g", l, s.Packets[l], s.Congested[l], s.Known[l],
					packets[l], congested[l], low[l])
			}
		}
	})
}

func TestSamplesErrors(t *testing.T) {
	machine := parse(t, smallTree)
	head := "from,port,est_packets,est_congested_packets\n"
	for _, c := range []struct {
		name, text   string
		line, column int
		reason, hint string
	}{
		{"empty", "", 0, 0, "empty", "--sampling full --links"},
		{"no rows", head, 0, 0, "no rows", "--sampling full --links"},
		{"administrator's", "from,port,to,seconds,bytes,congested_fraction\n", 1, 0, "no column est_packets",
			"--measured-view administrator"},
		{"no congestion", "from,port,est_packets\n", 1, 0, "no column est_congested_packets", "--sampling full"},
		{"no from", "port,est_packets,est_congested_packets\n", 1, 0, "whose port", ""},
		{"not sampled", head + "n0,0,,\n", 0, 0, "est_ columns are empty", "--sampling full --links"},
		{"no packets", head + "n0,0,0,0\n", 0, 0, "no packet is known", "send between hosts"},
		{"not a number", head + "n0,0,NaN,0\n", 2, 6, "est_packets \"NaN\"", ""},
		{"too large", head + "n0,0,1,1e300\n", 2, 8, "est_congested_packets \"1e300\"", ""},
		{"half a row", head + "n0,0,1,\n", 2, 8, "is missing beside est_packets", ""},
		{"port", head + "n0,x,1,1\n", 2, 4, "port", ""},
		{"short", head + "n0,0\n", 2, 0, "2 fields under a header of 4", ""},
		{"twice", head + "n0,0,1,1\nn0,0,1,1\n", 3, 0, "stands on line 2 already", "slices, phases"},
		{"strange", head + "x,0,1,1\n", 0, 0, "no row is of a port", ""},
		{"quotes", head + "\"n0,0,1,1\n", 2, 11, "not CSV", ""},
	} {
		_, err := readSamples(machine, c.text)
		var wrong *input.Error
		if !errors.As(err, &wrong) || wrong.Hint == "" || !strings.Contains(wrong.Reason, c.reason) ||
			!strings.Contains(wrong.Hint, c.hint) || wrong.Line != c.line || wrong.Column != c.column {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzReadSamples(f *testing.F) {
	machine := parse(f, smallTree)
	f.Add("from,port,est_packets,est_packets_low,est_congested_packets\nn0,0,5,1,-2\n")
	f.Add("link,from,port,to,bytes,est_packets,est_congested_packets\n1,n0,0,,x,-5e3,1e17\n2,n1,0,,x,7,\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSamples(machine, text)
		if err != nil {
			sane(t, machine, nil, err)
			return
		}
		told := 0
		for l := range machine.Links {
			if !(math.Abs(s.Packets[l]) <= mostEstimate) || !(math.Abs(s.Congested[l]) <= mostEstimate) {
				t.Fatalf("link %d: %g packets, %g congested", l, s.Packets[l], s.Congested[l])
			}
			if s.Known[l] {
				told++
			}
		}
		if told == 0 || told != s.Links {
			t.Fatalf("%d links told, %d counted", told, s.Links)
		}
	})
}
