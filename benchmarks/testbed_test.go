package benchmarks

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/experiment"
	"remap/internal/testkit/real"
	"remap/internal/testkit/tier"
)

// A testbedCase is a job on a network of namespaces. Crowded ones have another job beside them.
type testbedCase struct {
	name, topology string
	job            []string
	others         string // --background
}

func (c *testbedCase) options() []string {
	if c.others == "" {
		return c.job
	}
	return append(c.job[:len(c.job):len(c.job)], "--background", c.others)
}

const (
	bedTaper32   = "fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0,gbps=0.02"
	bedFull32    = "fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0,gbps=0.02"
	bedTaper64   = "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0,gbps=0.01"
	bedDragonfly = "dragonfly:groups=5,routers=2,hosts=2,global=2,gbps=0.02"
	bedTorus     = "torus:4x4,hosts=2,gbps=0.02"

	bedHalo = ",bytes=60000,wait=true,edges=skip,sends=nonblocking"
)

// quietBeds have the network to themselves.
var quietBeds = []testbedCase{
	{"stencil 32, taper", bedTaper32, []string{"--pattern", "stencil2d:8x4" + bedHalo}, ""},
	{"transpose 32, full tree", bedFull32, []string{"--pattern", "fft2d:planes=2,grid=4x4,bytes=40000"}, ""},
	{"all-reduce 32, taper", bedTaper32,
		[]string{"--pattern", "allreduce:32,algorithm=rabenseifner,bytes=400000"}, ""},
	{"irregular 64, taper", bedTaper64, []string{"--pattern", "geometric:64,bytes=20000,wait=true," +
		"degree=6"}, ""},
	{"stencil 16, dragonfly", bedDragonfly, []string{"--pattern", "stencil2d:4x4" + bedHalo}, ""},
	{"irregular 32, torus", bedTorus, []string{"--pattern", "geometric:32,bytes=30000,wait=true,degree=6"}, ""},
}

// crowdedBeds share leaf switches with others that send all the time.
var crowdedBeds = []testbedCase{
	{"CG 16, taper, crowded", bedTaper32,
		[]string{"--pattern", "nas-cg:16,bytes=60000", "--hosts", "n[0-1,4-5,8-9,12-13,16-23]"},
		"ring:8,endless=true@n2,n6,n3,n7,n10,n14,n11,n15"},
	{"irregular 48, taper, crowded", bedTaper64,
		[]string{"--pattern", "geometric:48,bytes=20000,wait=true,degree=6",
			"--hosts", "n[0-3,8-11,16-19,24-27,32-63]"},
		"ring:16,endless=true@n4,n12,n20,n28,n5,n13,n21,n29,n6,n14,n22,n30,n7,n15,n23,n31"},
	{"stencil 16 on 32 hosts, crowded", "fattree:nodes-per-leaf=6,leaves-per-pod=8,pods=1,aggs-per-pod=3," +
		"cores=0,gbps=0.02",
		[]string{"--pattern", "stencil2d:4x4" + bedHalo,
			"--hosts", "n[0-3,6-9,12-15,18-21,24-27,30-33,36-39,42-45]"},
		"ring:8,endless=true@n4,n10,n16,n22,n5,n11,n17,n23"},
	{"transpose 16 on 32 hosts, crowded", "fattree:nodes-per-leaf=6,leaves-per-pod=8,pods=1,aggs-per-pod=3," +
		"cores=0,gbps=0.02",
		[]string{"--pattern", "fft2d:planes=1,grid=4x4,bytes=40000",
			"--hosts", "n[0-3,6-9,12-15,18-21,24-27,30-33,36-39,42-45]"},
		"ring:8,endless=true@n4,n10,n16,n22,n5,n11,n17,n23"},
}

// A testbedProgram is the command, built for these tests.
type testbedProgram struct {
	t    *testing.T
	path string
}

func newTestbedProgram(t *testing.T) *testbedProgram {
	t.Helper()
	tier.Table(t, "launches of real programs, for up to an hour")
	real.OpenMPI4(t)
	real.Need(t, "mpicc", "nsenter", "unshare")
	p := &testbedProgram{t, filepath.Join(t.TempDir(), "remap")}
	said, err := exec.CommandContext(t.Context(), "go", "build", "-o", p.path, "remap/cmd/"+
		"remap").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	t.Cleanup(func() { exec.Command(p.path, "testbed", "down", "--name", "bench").Run() })
	return p
}

// run runs a command; its standard error is kept for a failure.
func (p *testbedProgram) run(arguments ...string) string {
	p.t.Helper()
	c := exec.CommandContext(p.t.Context(), p.path, arguments...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		p.t.Fatalf("remap %q: %v\n%s", arguments, err, said.String())
	}
	return string(out)
}

// raise brings up the network of a case.
func (p *testbedProgram) raise(c *testbedCase, more ...string) {
	p.t.Helper()
	p.run("testbed", "down", "--name", "bench", "--quiet")
	p.run(append([]string{"testbed", "up", "--name", "bench", "--quiet", "--topology", c.topology}, more...)...)
}

// validate simulates and runs mappings of a case.
func (p *testbedProgram) validate(c *testbedCase, launches int, more ...string) (v struct {
	Runs []experiment.Run `json:"runs"`
	experiment.Agreement
}) {
	p.t.Helper()
	arguments := append([]string{"testbed", "validate", "--name", "bench", "--json", "--launches",
		strconv.Itoa(launches)}, c.options()...)
	if err := json.Unmarshal([]byte(p.run(append(arguments, more...)...)), &v); err != nil {
		p.t.Fatal(err)
	}
	return v
}

// TestTestbedAgreementTable simulates and runs static, random and found mappings of quiet and crowded
// jobs, and says how well predictions order them:
//
//	REMAP_REAL=1 REMAP_TABLE=1 go test -run TestbedAgreementTable -timeout 120m -v ./benchmarks
func TestTestbedAgreementTable(t *testing.T) {
	p := newTestbedProgram(t)
	var simulated, measured []float64 // over the geometric mean of the case
	pairs, ordered, worst := 0, 0, 0.0
	var drawn []agreementSeries
	var rows, summary strings.Builder
	cases := append(quietBeds[:len(quietBeds):len(quietBeds)], crowdedBeds[:2]...)
	for i := range cases {
		c := &cases[i]
		p.raise(c)
		// Large jobs take long to start.
		launches, strategies := 5, "identity,rcm,multisection,kl,tiling,hilbert"
		if strings.HasPrefix(c.name, "irregular 64") || strings.HasPrefix(c.name, "irregular 48") {
			launches, strategies = 3, "identity,rcm,multisection,hilbert"
		}
		v := p.validate(c, launches, "--strategies", strategies)
		a := v.Agreement
		fmt.Fprintf(&summary, "| %s | %d | %.2f | %s | %d of %d | %.1f | %.2f [%.2f, %.2f] | %.1f |\n", c.name,
			len(v.Runs), a.Spearman, beyond(&a), a.Ordered, a.Pairs, a.RegretPercent, a.Ratio, a.RatioLow,
			a.RatioHigh, 100*a.Noise)
		drawn = append(drawn, agreementSeries{c.name, v.Runs})
		meanS, meanM := geometricMeans(v.Runs)
		pairs, ordered, worst = pairs+a.Pairs, ordered+a.Ordered, max(worst, a.RegretPercent)
		for _, r := range v.Runs {
			fmt.Fprintf(&rows, "| %s | %s | %.1f | %.1f [%.1f, %.1f] | %.2f |\n", c.name, r.Mapping,
				1000*r.SimulatedSeconds, 1000*r.MeasuredSeconds, 1000*r.Low, 1000*r.High,
				r.MeasuredSeconds/r.SimulatedSeconds)
			simulated = append(simulated, r.SimulatedSeconds/meanS)
			measured = append(measured, r.MeasuredSeconds/meanM)
		}
		fmt.Fprintf(os.Stderr, "%s: %+v\n", c.name, a)
		if a.Ratio < 0.5 || a.Ratio > 2 {
			t.Errorf("%s: measured times are %.2f times those predicted", c.name, a.Ratio)
		}
	}
	drawAgreement(t, drawn)
	t.Logf("\n| case | mappings | Spearman | beyond noise | pairs in order | regret %% | measured / "+
		"predicted | "+
		"noise %% |\n|---|---|---|---|---|---|---|---|\n%s", summary.String())
	t.Logf("All %d mappings of %d cases, times over the geometric mean of the case: Spearman %.2f. Of %d pairs "+
		"of a case that differ by more than its noise, %d are in order. The largest regret is %.1f %%.",
		len(simulated), len(cases), experiment.Spearman(simulated, measured), pairs, ordered, worst)
	t.Logf("\n| case | mapping | predicted ms | measured ms | ratio |\n|---|---|---|---|---|\n%s", rows.String())
}

// beyond is the rank correlation beyond the noise, where it is known.
func beyond(a *experiment.Agreement) string {
	if a.SpearmanBeyondNoise == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *a.SpearmanBeyondNoise)
}

// geometricMeans are those of the simulated and the measured times of runs.
func geometricMeans(runs []experiment.Run) (simulated, measured float64) {
	for _, r := range runs {
		simulated += math.Log(r.SimulatedSeconds) / float64(len(runs))
		measured += math.Log(r.MeasuredSeconds) / float64(len(runs))
	}
	return math.Exp(simulated), math.Exp(measured)
}

// TestTestbedGainTable measures what the loop gains in crowded networks, told of the others and by the
// kernel's counters of one run alone, over at least ten launches each:
//
//	REMAP_REAL=1 REMAP_TABLE=1 go test -run TestbedGainTable -timeout 120m -v ./benchmarks
func TestTestbedGainTable(t *testing.T) {
	p := newTestbedProgram(t)
	const launches = 10
	folder := t.TempDir()
	links, byCounters := filepath.Join(folder, "links.csv"), filepath.Join(folder, "counters.csv")
	var table strings.Builder
	for i := range crowdedBeds {
		c := &crowdedBeds[i]
		p.raise(c)
		p.run(append([]string{"testbed", "run", "--name", "bench", "--strategy", "identity", "--launches", "1",
			"--links", links, "--force"}, c.options()...)...)
		p.run(append([]string{"optimize", "--topology", c.topology, "--routing", "hash", "--packet-bytes", "1448",
			"--eager-bytes", strconv.Itoa(experiment.EagerBytes), "--measured", links, "--control=false",
			"--output", byCounters, "--force", "--quiet"}, c.job...)...)
		v := p.validate(c, launches, "--mapping", byCounters, "--strategies", "identity", "--random", "0")
		rows := map[string]*experiment.Run{}
		for k := range v.Runs {
			for _, name := range strings.Split(v.Runs[k].Mapping, ", ") {
				rows[name] = &v.Runs[k]
			}
		}
		for _, row := range []struct{ name, title string }{{"identity", "default"}, {"best static", "best static"},
			{"found", "found, told"}, {byCounters, "found by counters"}} {
			r := rows[row.name]
			line := fmt.Sprintf("| %s | %s | %.1f | %.1f [%.1f, %.1f] | %s | %s | %.1f | %.1f |\n", c.name, row.title,
				1000*r.SimulatedSeconds, 1000*r.MeasuredSeconds, 1000*r.Low, 1000*r.High,
				measuredGain(rows["identity"], r), measuredGain(rows["best static"], r),
				r.OthersAlone, r.OthersBeside)
			table.WriteString(line)
			fmt.Fprint(os.Stderr, line)
		}
	}
	t.Logf("\n| case | mapping | predicted ms | measured ms | gain over default %% | gain over best static "+
		"%% | "+
		"others alone Mb/s | beside |\n|---|---|---|---|---|---|---|---|\n%s", table.String())
}

// measuredGain is the gain of launches that took turns, with its interval.
func measuredGain(slow, fast *experiment.Run) string {
	if slow == fast {
		return "0"
	}
	gains := make([]float64, len(slow.Launches))
	for i := range gains {
		gains[i] = 100 * (1 - fast.Launches[i]/slow.Launches[i])
	}
	median, low, high, ok := evalsim.MedianInterval(gains)
	if !ok {
		low, high = math.Inf(-1), math.Inf(1)
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", median, low, high)
}

// TestTestbedVariantsTable runs two small jobs on networks that are less and less like one with
// credits:
//
//	REMAP_REAL=1 REMAP_TABLE=1 go test -run TestbedVariantsTable -timeout 60m -v ./benchmarks
func TestTestbedVariantsTable(t *testing.T) {
	p := newTestbedProgram(t)
	const tree = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,gbps=0.02"
	var table strings.Builder
	for _, c := range []testbedCase{
		{"stencil 16", tree, []string{"--pattern", "stencil2d:4x4" + bedHalo}, ""},
		{"stencil 12, crowded", tree, []string{"--pattern", "stencil2d:4x3" + bedHalo,
			"--hosts", "n[0-2,4-6,8-10,12-14]"}, "ring:4,endless=true@n3,n7,n11,n15"},
	} {
		for _, variant := range []struct {
			name    string
			options []string
		}{
			{"as by default", nil},
			{"windows of 64 KiB", []string{"--window-bytes", "65536"}},
			{"windows that grow", []string{"--window-bytes", "0"}},
			{"windows that grow, ports of 64 KiB", []string{"--window-bytes", "0", "--port-bytes", "65536"}},
			{"the same with BBR", []string{"--window-bytes", "0", "--port-bytes", "65536", "--tcp", "bbr"}},
		} {
			p.raise(&c, variant.options...)
			v := p.validate(&c, 3, "--strategies", "identity,tiling", "--random", "2", "--rounds", "0")
			if len(v.Runs) != 4 {
				t.Fatalf("%s: %d different mappings, not 4", c.name, len(v.Runs))
			}
			cells, drops := "", uint64(0)
			for _, r := range v.Runs {
				cells += fmt.Sprintf(" %.0f [%.0f, %.0f] |", 1000*r.MeasuredSeconds, 1000*r.Low, 1000*r.High)
				drops += r.Drops
			}
			line := fmt.Sprintf("| %s | %s |%s %d |\n", c.name, variant.name, cells, drops)
			fmt.Fprint(os.Stderr, line)
			if variant.options == nil {
				cells = ""
				for _, r := range v.Runs {
					cells += fmt.Sprintf(" %.0f |", 1000*r.SimulatedSeconds)
				}
				fmt.Fprintf(&table, "| %s | simulated |%s |\n", c.name, cells)
			}
			table.WriteString(line)
		}
	}
	t.Logf("\n| case | network | identity ms | tiling ms | random 1 ms | random 2 ms | packets dropped |\n"+
		"|---|---|---|---|---|---|---|\n%s", table.String())
}
