package benchmarks

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"remap"
	"remap/diagnosis"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	jobs "remap/job"
)

// exactRate is how fast a link was used, by the exact counters of slices: the mean over slices, weighted by
// the packets that found the link congested, in bytes a second.
func exactRate(d *remap.Diagnosis, link int32) float64 {
	sum, weight := 0.0, 0.0
	for _, r := range d.Results {
		for k, links := range r.Slices {
			seconds := min(d.SliceLength.Seconds(), r.Makespan/1e9-float64(k)*d.SliceLength.Seconds())
			s := &links[link]
			if seconds > 0 && s.Congested > 0 {
				sum += float64(s.Congested) * float64(s.Bytes) / seconds
				weight += float64(s.Congested)
			}
		}
	}
	return sum / weight
}

// exactMean is the mean rate over all the time.
func exactMean(d *remap.Diagnosis, link int32) float64 {
	bytes, seconds := 0.0, 0.0
	for _, r := range d.Results {
		bytes += float64(r.Links[link].Bytes)
		seconds += r.Makespan / 1e9
	}
	return bytes / seconds
}

// TestDiagnosisStudies diagnoses the case studies of the 2018 thesis (chapter 4) and pF3D of SC'19: each
// has the cause that the papers name, and the rate of the first root is within 10 % of the exact counter.
// The small ones stand for the large where time is short.
//
//	REMAP_TABLE=1 go test -run 'DiagnosisStudies$' -timeout 60m -v ./benchmarks
func TestDiagnosisStudies(t *testing.T) {
	studies := []struct {
		name          string
		administrator bool
		want          diagnosis.Cause
		inside        bool // the first root is a link between switches
		large         bool
	}{
		{"tapered-stencil-small", false, diagnosis.ByMapping, true, false},
		{"pf3d-small", false, diagnosis.ByOthers, true, false},
		{"reduction-naive", false, diagnosis.ByPattern, false, true},
		{"tapered-stencil", false, diagnosis.ByMapping, true, true},
		{"popcount", false, diagnosis.ByOthers, true, true},
		{"popcount", true, diagnosis.ByOthers, false, true},
		{"pf3d", false, diagnosis.ByOthers, true, true},
	}
	var table strings.Builder
	for _, study := range studies {
		if study.large && !tier.IsTable() {
			continue
		}
		s, err := fixtures.Find(study.name)
		if err != nil {
			t.Fatal(err)
		}
		options, err := s.JobOptions()
		if err != nil {
			t.Fatal(err)
		}
		j, err := jobs.Open(options)
		if err != nil {
			t.Fatal(err)
		}
		o := remap.DiagnoseOptions{Simulation: j.Simulation.Sampled(), Repeats: 1,
			Administrator: study.administrator}
		d, err := (&remap.Environment{Job: j, Workers: 1}).Diagnose(t.Context(), j.Start(), o)
		if err != nil {
			t.Fatal(err)
		}
		name := study.name
		if study.administrator {
			name += ", administrator"
		}
		if d.Cause != study.want || len(d.Roots) == 0 {
			t.Errorf("%s: %+v", name, d.Verdict)
			continue
		}
		root := &d.Roots[0]
		l := &j.Machine.Links[root.Link]
		if inside := !j.Machine.IsHost(l.To); inside != study.inside {
			t.Errorf("%s: the first root leads to %s", name, j.Machine.NodeName(l.To))
		}
		estimated, exact := root.Own, exactRate(d, root.Link)
		switch {
		case study.administrator:
			estimated, exact = root.All, exactMean(d, root.Link)
		case len(j.Background) > 0: // its own part alone is not counted exactly
			exact = math.NaN()
		}
		if off := estimated/exact - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: %s to %s is used at %.4g B/s by samples, %.4g by counters", name,
				j.Machine.NodeName(l.From), j.Machine.NodeName(l.To), estimated, exact)
		}
		fmt.Fprintf(&table, "| %s | %s | %.2f | %s to %s | %.0f | %.1f | %.1f |\n", name, d.Cause,
			d.Factors[d.Cause], j.Machine.NodeName(l.From), j.Machine.NodeName(l.To), 100*root.Congested,
			estimated*8/1e9, exact*8/1e9)
		for _, e := range d.Evidence(d.Input) {
			t.Logf("%s: %s", name, e)
		}
	}
	t.Logf("\n| case | cause | times as slow | first root | congested %% | estimated Gb/s | exact Gb/s |\n"+
		"|---|---|---|---|---|---|---|\n%s", table.String())
}
