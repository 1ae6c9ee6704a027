package simfiles_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	"remap/simfiles"
	"remap/workload"
)

// The links file holds what the result holds.
func TestWriteLinks(t *testing.T) {
	top := testkit.Network(t, "torus:4x3")
	p, err := workload.ParsePattern("uniform:12,rounds=30,bytes=20000")
	if err != nil {
		t.Fatal(err)
	}
	results, err := evalsim.Repeat(context.Background(), top,
		[]evalsim.Job{{Program: p, Hosts: testkit.Identity(12)}}, evalsim.DefaultOptions(), 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := simfiles.WriteLinks(&b, top, results, simfiles.LinksOptions{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != len(top.Links)+1 || !reflect.DeepEqual(rows[0], simfiles.LinksHeader()) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	sum := func(name string) (total float64) {
		for _, row := range rows[1:] {
			if v, err := strconv.ParseFloat(row[column[name]], 64); err == nil {
				total += v
			}
		}
		return total
	}
	s := evalsim.Summarize(results)
	if sum("packets") != float64(s.PacketHops) ||
		sum("congested_packets") != float64(results[0].Congested+results[1].Congested) {
		t.Errorf("packets sum to %g, congested to %g", sum("packets"), sum("congested_packets"))
	}
	// Every packet's weighted samples sum to its length: totals are exact.
	if want := float64(results[0].PortHops + results[1].PortHops); sum("est_packets") != want {
		t.Errorf("estimates sum to %g, ports crossed %g", sum("est_packets"), want)
	}
	for _, row := range rows[1:] {
		injection := strings.HasPrefix(row[column["from"]], "n")
		if (row[column["est_packets"]] == "") != injection {
			t.Errorf("row %v: estimates are for switch ports only", row)
		}
	}
}

// Links files by all dimensions are the same bytes for any number of workers.
func TestLinksFilesOfWorkers(t *testing.T) {
	var files [2][]byte
	for i, workers := range []int{1, 3} {
		top, jobs, results, _ := testkit.Measured(t, sampling.Reservoirs, workers)
		var b bytes.Buffer
		err := simfiles.WriteLinks(&b, top, results,
			simfiles.LinksOptions{Job: simfiles.AllJobs, Slices: true, ByPhase: true, ByTag: true,
				ByCallSite: true, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		files[i] = b.Bytes()
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("three workers write another file than one")
	}
}

// Phases and call sites of several jobs are told apart by name; those that are not
// known are missing.
func TestLinksOfJobsByName(t *testing.T) {
	top := testkit.Network(t, "fattree:nodes-per-leaf=4,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	named := func(packets int, phases, callSites []string) *workload.Program {
		p := testkit.Program(2, [3]int{0, 1, packets * 4096}, [3]int{0, 1, 10 * packets * 4096})
		p.Phases, p.CallSites = phases, callSites
		if phases != nil {
			p.Ops[1].Phase = 1
		}
		if callSites != nil {
			p.Sites = []uint16{0, 1}
		}
		return p
	}
	jobs := []evalsim.Job{
		{Program: named(1, []string{"halo", "sum"}, []string{"", "a.c:1"}), Hosts: []int32{0, 1}},
		{Program: named(2, []string{"sum", "halo"}, nil), Hosts: []int32{0, 2}},
		{Program: named(3, nil, []string{"b.c:2", "a.c:1"}), Hosts: []int32{0, 3}},
	}
	o := evalsim.DefaultOptions()
	o.ByPhase, o.ByCallSite = true, true
	results, err := evalsim.Repeat(context.Background(), top, jobs, o, 1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		o    simfiles.LinksOptions
		want string // by phase and call site, what came to the hosts
	}{
		{simfiles.LinksOptions{Job: simfiles.AllJobs, ByPhase: true}, "halo=1 halo=20 sum=10 sum=2 0=33"},
		{simfiles.LinksOptions{Job: simfiles.AllJobs, ByCallSite: true}, "=1 =22 a.c:1=10 a.c:1=30 b.c:2=3"},
		{simfiles.LinksOptions{Job: 1, ByPhase: true, ByCallSite: true}, "sum/=2 halo/=20"},
		{simfiles.LinksOptions{Job: 2, ByPhase: true, ByCallSite: true}, "0/b.c:2=3 0/a.c:1=30"},
	} {
		test.o.Jobs = jobs
		var b bytes.Buffer
		if err := simfiles.WriteLinks(&b, top, results, test.o); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range readTable(t, simfiles.CSV, b.Bytes()) {
			var labels []string
			for _, label := range []string{"phase", "call_site"} {
				if text, known := row[label]; known {
					labels = append(labels, text)
				}
			}
			got = append(got, strings.Join(labels, "/")+"="+row["est_packets"])
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%+v: %s, want %s", test.o, text, test.want)
		}
	}
	if err := simfiles.WriteLinks(&bytes.Buffer{}, top, results,
		simfiles.LinksOptions{ByPhase: true, Jobs: jobs[:2]}); err == nil {
		t.Error("names of a job are missing, and nothing says so")
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]simfiles.Format{"a.csv": simfiles.CSV, "a.JSON": simfiles.JSON,
		"b.c/a.parquet": simfiles.Parquet, "json": simfiles.CSV, "a.txt": simfiles.CSV} {
		if got := simfiles.FormatOf(path); got != want {
			t.Errorf("%s is taken for %v, want %v", path, got, want)
		}
	}
	if _, err := simfiles.ParseFormat("xls"); err == nil {
		t.Error("xls is taken for a format")
	}
}
