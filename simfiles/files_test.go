package simfiles_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	"remap/simfiles"
)

// rows are the lines of a file, as CSV shows them.
type rows []map[string]string

// readTable reads a file of any format; rows come as CSV shows them.
func readTable(t *testing.T, f simfiles.Format, content []byte) rows {
	t.Helper()
	switch f {
	case simfiles.CSV:
		lines, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		table := rows{}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = line[i]
			}
			table = append(table, row)
		}
		return table
	case simfiles.JSON:
		var objects []map[string]any
		if err := json.Unmarshal(content, &objects); err != nil {
			t.Fatal(err)
		}
		return shown(objects)
	}
	return shown(readParquet(t, content))
}

func readParquet(t *testing.T, content []byte) (objects []map[string]any) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	fields := file.Schema().Fields()
	buffer := make([]parquet.Row, 100)
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		defer reader.Close()
		for err = nil; err == nil; {
			var n int
			n, err = reader.ReadRows(buffer)
			for _, r := range buffer[:n] {
				object := map[string]any{}
				for i, v := range r {
					switch {
					case v.IsNull():
						object[fields[i].Name()] = nil
					case v.Kind() == parquet.Int64:
						object[fields[i].Name()] = v.Int64()
					case v.Kind() == parquet.Double:
						object[fields[i].Name()] = v.Double()
					default:
						object[fields[i].Name()] = string(v.ByteArray())
					}
				}
				objects = append(objects, object)
			}
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	}
	return objects
}

func shown(objects []map[string]any) rows {
	table := rows{}
	for _, o := range objects {
		row := map[string]string{}
		for name, v := range o {
			switch v := v.(type) {
			case nil:
				row[name] = ""
			case string:
				row[name] = v
			case int64:
				row[name] = strconv.FormatInt(v, 10)
			case float64:
				row[name] = strconv.FormatFloat(v, 'g', -1, 64)
				if v == float64(int64(v)) && v < 1<<53 && v > -1<<53 {
					row[name] = strconv.FormatInt(int64(v), 10)
				}
			}
		}
		table = append(table, row)
	}
	return table
}

// normal brings whole floating point numbers to one form.
func (r rows) normal() rows {
	for _, row := range r {
		for name, text := range row {
			if v, err := strconv.ParseFloat(text, 64); err == nil && v == float64(int64(v)) && name != "phase" {
				row[name] = strconv.FormatInt(int64(v), 10)
			}
		}
	}
	return r
}

// sums adds up a column over the rows that every link has.
func (r rows) sums(t *testing.T, name string) map[string]float64 {
	t.Helper()
	totals := map[string]float64{}
	for _, row := range r {
		if text, known := row[name]; !known {
			t.Fatalf("no column %s", name)
		} else if text != "" {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			totals[row["link"]] += v
		}
	}
	return totals
}

// sum adds up a column of whole numbers over the rows that a link has; "" = all.
func (r rows) sum(t *testing.T, name, link string) (total float64) {
	t.Helper()
	for of, v := range r.sums(t, name) {
		if link == "" || of == link {
			total += v
		}
	}
	return total
}

// CSV, JSON and Parquet carry the same; rows by slice, phase, tag, call site and
// any of them together sum to the rows of the whole, link by link, for a job and for
// the administrator.
func TestLinksFiles(t *testing.T) {
	top, jobs, results, _ := testkit.Measured(t, sampling.Reservoirs, 2)
	write := func(o simfiles.LinksOptions) rows {
		var of [3]rows
		for f := range of {
			var b bytes.Buffer
			o.Format, o.Jobs = simfiles.Format(f), jobs
			if err := simfiles.WriteLinks(&b, top, results, o); err != nil {
				t.Fatal(err)
			}
			of[f] = readTable(t, o.Format, b.Bytes()).normal()
			if !reflect.DeepEqual(of[f], of[0]) {
				t.Fatalf("%v: %v\ncsv: %v", o.Format, of[f], of[0])
			}
		}
		return of[0]
	}
	for _, job := range []int{0, 1, simfiles.AllJobs} {
		whole := write(simfiles.LinksOptions{Job: job})
		if len(whole) != len(top.Links) {
			t.Fatalf("%d rows of %d links", len(whole), len(top.Links))
		}
		count := make([]int, 16) // by dimensions
		for d := range count {
			o := simfiles.LinksOptions{Job: job, Slices: d&1 > 0, ByPhase: d&2 > 0, ByTag: d&4 > 0,
				ByCallSite: d&8 > 0}
			apart := write(o)
			sumToWhole(t, apart, whole, d < 2)
			count[d] = len(apart)
			if fewer := d & (d - 1) &^ 1; fewer > 1 && job != 1 && count[d] <= count[fewer] { // job 1 has one of each
				t.Errorf("%d rows of %+v, of fewer dimensions %d", count[d], o, count[fewer])
			}
		}
	}
	administrator := write(simfiles.LinksOptions{Job: simfiles.AllJobs})
	first, second := write(simfiles.LinksOptions{}), write(simfiles.LinksOptions{Job: 1})
	testkit.Near(t, "estimates of all jobs", administrator.sum(t, "est_packets", ""),
		first.sum(t, "est_packets", "")+second.sum(t, "est_packets", ""), 0)
}

// sumToWhole holds rows of parts against those of the whole; exact: counters know them.
func sumToWhole(t *testing.T, apart, whole rows, exact bool) {
	t.Helper()
	for _, name := range []string{"est_packets", "est_congested_packets", "packets", "bytes",
		"congested_packets"} {
		got, want := apart.sums(t, name), whole.sums(t, name)
		if !exact && name[0] != 'e' {
			want = map[string]float64{} // of single phases, tags and call sites they are not known
		}
		for link := range want {
			testkit.Near(t, name+" of link "+link, got[link], want[link], 0)
		}
		for link := range got {
			testkit.Near(t, name+" of link "+link, got[link], want[link], 0)
		}
	}
}

// A file of samples has what was delivered, in every format.
func TestSamplesFiles(t *testing.T) {
	top, jobs, _, deliveries := testkit.Measured(t, sampling.Reservoirs, 2)
	var of [3]rows
	for f := range of {
		var b bytes.Buffer
		w, err := simfiles.NewSamplesWriter(&b, simfiles.Format(f), top, sampling.Reservoirs, jobs)
		if err != nil {
			t.Fatal(err)
		}
		for repeat, some := range deliveries {
			if err := w.Take(repeat, some); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if of[f] = readTable(t, simfiles.Format(f), b.Bytes()); !reflect.DeepEqual(of[f], of[0]) {
			t.Fatalf("%v differs from CSV", simfiles.Format(f))
		}
	}
	i := 0
	for repeat, some := range deliveries {
		for _, d := range some {
			row := of[0][i]
			i++
			want := map[string]string{"repeat": strconv.Itoa(repeat), "job": strconv.Itoa(int(d.Job)),
				"source":      strconv.Itoa(int(d.Source)),
				"destination": strconv.Itoa(int(d.Destination)), "tag": strconv.Itoa(int(d.Tag)),
				"phase":      evalsim.PhaseNames(jobs[d.Job])[d.Phase],
				"call_site":  evalsim.CallSiteNames(jobs[d.Job])[d.CallSite],
				"arrival_ns": strconv.Itoa(int(d.Arrival / 1000)), "hop_link": strconv.Itoa(int(d.HopLink)),
				"hops":           strconv.Itoa(int(d.Hops)),
				"congested_link": strconv.Itoa(int(d.CongestedLink)),
				"congested_hops": strconv.Itoa(int(d.CongestedHops))}
			if d.CongestedLink < 0 {
				want["congested_link"] = ""
			}
			if !reflect.DeepEqual(row, want) {
				t.Fatalf("row %d: %v, want %v", i, row, want)
			}
		}
	}
	if i != len(of[0]) {
		t.Errorf("%d rows for %d deliveries", len(of[0]), i)
	}
}

// A file of latencies has what the summaries say.
func TestLatenciesFiles(t *testing.T) {
	_, _, results, _ := testkit.Measured(t, sampling.Reservoirs, 2)
	summaries := evalsim.SummarizeLatencies(results)
	for f := simfiles.CSV; f <= simfiles.Parquet; f++ {
		var b bytes.Buffer
		if err := simfiles.WriteLatencies(&b, f, summaries); err != nil {
			t.Fatal(err)
		}
		table := readTable(t, f, b.Bytes())
		if len(table) != len(summaries) {
			t.Fatalf("%d rows of %d classes", len(table), len(summaries))
		}
		for i, s := range summaries {
			encoded, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]float64
			if err := json.Unmarshal(encoded, &fields); err != nil {
				t.Fatal(err)
			}
			for name, want := range fields {
				got, err := strconv.ParseFloat(table[i][name], 64)
				if err != nil || len(table[i]) != len(fields) {
					t.Fatalf("%s: %q, %v", name, table[i][name], err)
				}
				testkit.Near(t, name, got, want, 1e-7*want)
			}
		}
	}
}
