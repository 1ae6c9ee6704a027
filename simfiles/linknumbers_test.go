package simfiles_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	"remap/simfiles"
	"remap/topology"
	"remap/workload"
)

// Links are numbered as --fail takes them, also where cables have failed.
func TestLinkNumbersOfFailures(t *testing.T) {
	whole := testkit.Network(t, "torus:4x3")
	top, err := topology.Degrade(whole, []string{"20", "s1-1:s2-1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := workload.ParsePattern("uniform:12,rounds=5,bytes=20000")
	if err != nil {
		t.Fatal(err)
	}
	jobs := []evalsim.Job{{Program: p, Hosts: testkit.Identity(12)}}
	s, err := evalsim.New(top, jobs, evalsim.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var samples, links bytes.Buffer
	w, err := simfiles.NewSamplesWriter(&samples, simfiles.CSV, top, sampling.Reservoirs, jobs)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int32]bool{}
	results, err := s.RepeatDelivered(context.Background(), 0, 1, 1, nil,
		func(repeat int, some []evalsim.Delivery) error {
			for _, d := range some {
				seen[top.LinkNumber(d.HopLink)] = true
			}
			return w.Take(repeat, some)
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := simfiles.WriteLinks(&links, top, results, simfiles.LinksOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, row := range read(t, &links) {
		number, err := strconv.Atoi(row["link"])
		if err != nil {
			t.Fatal(err)
		}
		l := whole.Links[number]
		if row["from"] != whole.NodeName(l.From) || row["to"] != whole.NodeName(l.To) ||
			row["port"] != fmt.Sprint(l.FromPort) {
			t.Errorf("link %d is %s to %s, the row says %v", number, whole.NodeName(l.From), whole.NodeName(l.To), row)
		}
	}
	sampled := map[int32]bool{}
	for _, row := range read(t, &samples) {
		number, err := strconv.Atoi(row["hop_link"])
		if err != nil {
			t.Fatal(err)
		}
		sampled[int32(number)] = true
	}
	if len(seen) != len(sampled) {
		t.Errorf("%d links sampled, %d in the file", len(seen), len(sampled))
	}
	for number := range seen {
		if !sampled[number] {
			t.Errorf("link %d is sampled, and not in the file", number)
		}
	}
}

// read gives the rows of a CSV file by column.
func read(t *testing.T, file *bytes.Buffer) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, field := range line {
			row[lines[0][i]] = field
		}
		rows = append(rows, row)
	}
	return rows
}
