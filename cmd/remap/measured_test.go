package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remap/counters"
	"remap/internal/testkit/tier"
	"remap/launcher"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// site is a fabric on which a job ran while counters were read.
type site struct {
	machine    *topology.Topology
	allocation *mapping.Allocation
	program    *workload.Program
	use        []float64 // length links: share of the rate that others used
	stall      []float64 // length links: share of the time that the port stood still
	own        []float64 // length links: share that the job used
}

const (
	siteSeconds = 60.0
	siteBusy    = 0.2 // of the job's busiest host link
)

// newSite runs a pattern under the identity on hosts of a fabric file, beside
// others that use what `foreign` says of every link.
func newSite(t *testing.T, fabric, pattern string, hosts []string,
	foreign func(t *topology.Topology, l *topology.Link) (use, stall float64)) *site {
	t.Helper()
	s := &site{allocation: &mapping.Allocation{}}
	var err error
	if s.machine, err = topology.Open(fabric); err != nil {
		t.Fatal(err)
	}
	for _, name := range hosts {
		h, known := s.machine.HostIndex(name)
		if !known {
			t.Fatal("no host", name)
		}
		s.allocation.Hosts = append(s.allocation.Hosts, h)
	}
	if s.program, err = workload.ParsePattern(pattern); err != nil {
		t.Fatal(err)
	}
	s.own = s.loads(t, mapping.Identity(s.program.Ranks()))
	most := 0.0
	for l, seconds := range s.own {
		if s.machine.IsHost(s.machine.Links[l].From) {
			most = max(most, seconds)
		}
	}
	for l := range s.machine.Links {
		s.own[l] *= siteBusy / most
		use, stall := foreign(s.machine, &s.machine.Links[l])
		s.use, s.stall = append(s.use, min(use, 1-s.own[l])), append(s.stall, stall)
	}
	return s
}

// loads is mapping.LinkLoads of the job.
func (s *site) loads(t *testing.T, m mapping.Mapping) []float64 {
	t.Helper()
	traffic, err := s.program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	return mapping.LinkLoads(s.machine, s.allocation, traffic, m)
}

// dump writes the two snapshots that perfquery would have printed.
func (s *site) dump(t *testing.T, before, after string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	n := len(s.machine.Links)
	first, second := make([]counters.PortCounters, n), make([]counters.PortCounters, n)
	for l := range n {
		first[l] = counters.PortCounters{SentWords: random.Uint64N(1 << 45),
			ReceivedWords: random.Uint64N(1 << 45), Waited: random.Uint64N(1 << 33)}
		words := func(link int32) uint64 {
			return uint64((s.own[link] + s.use[link]) * s.machine.Links[link].BytesPerSecond * siteSeconds / 4)
		}
		second[l] = first[l]
		second[l].SentWords += words(int32(l))
		second[l].ReceivedWords += words(s.machine.Reverse(int32(l)))
		// 32 bytes on each of 4 lanes
		second[l].Waited += uint64(s.stall[l] * s.machine.Links[l].BytesPerSecond * siteSeconds / 128)
	}
	for path, ports := range map[string][]counters.PortCounters{before: first, after: second} {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := counters.WritePerfquery(file, s.machine, ports); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// crossing is the job's bytes, as seconds of links, on links that others use.
func (s *site) crossing(t *testing.T, m mapping.Mapping) (sum float64) {
	t.Helper()
	for l, seconds := range s.loads(t, m) {
		if s.use[l] > 0 {
			sum += seconds
		}
	}
	return sum
}

// uneven is what others do in data/ib-loginoff: links of two of its six leaf
// switches to the spines are full for four fifths.
func uneven(m *topology.Topology, l *topology.Link) (use, stall float64) {
	if m.IsHost(l.From) || m.IsHost(l.To) {
		return 0, 0
	}
	for _, node := range []int32{l.From, l.To} {
		if name := m.NodeName(node); strings.Contains(name, ";ib1:") || strings.Contains(name, ";ib2:") {
			return 0.7, 0.1
		}
	}
	return 0, 0
}

// Two snapshots of a real fabric, written from known loads: remap finds the
// loaded links, and moves the job off them.
func TestMeasuredRealFabric(t *testing.T) {
	data := shared(t)
	if data == "" {
		t.Skip("skipped: ../shared is absent")
	}
	fabric := filepath.Join(data, "data", "ib-loginoff", "topo.ibnetdiscover")
	pattern, more := "uniform:96,rounds=2", []string{"--rounds", "1", "--repeats", "2",
		"--validation-repeats", "6", "--strategies", "kl", "--feedback", "capacities"}
	if tier.IsLong() {
		pattern, more = "uniform:96,rounds=8", nil
	}
	var hosts []string
	for i := 1; i <= 134; i++ {
		hosts = append(hosts, fmt.Sprintf("stage%d", i))
	}
	s := newSite(t, fabric, pattern, hosts, uneven)
	folder := t.TempDir()
	before, after, best := filepath.Join(folder, "before.txt"), filepath.Join(folder, "after.txt"),
		filepath.Join(folder, "best.csv")
	s.dump(t, before, after)
	code, stdout, stderr := runHere(append([]string{"optimize", "--topology", fabric, "--pattern", pattern,
		"--hosts", "stage[1-134]", "--control=false",
		"--measured", before, "--measured", after, "--measured-seconds", fmt.Sprint(siteSeconds), "--output",
		best}, more...)...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	t.Logf("\n%s%s", stderr, stdout)
	n := len(s.machine.Links)
	for _, said := range []string{fmt.Sprintf("the rates of %d of %d links\n", n, n),
		// Others use all four in the same way; which is named depends on where the job alone waits.
		`the link from MF0;ib7:SX6036/U1 port [2468] to MF0;ib1:SX6036/U1, ` +
			`the busiest, and 10 % or more of 30 links`} {
		if !regexp.MustCompile(said).MatchString(stderr) {
			t.Errorf("stderr does not say %q", said)
		}
	}
	file, err := os.Open(best)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := launcher.Read(best, file, "", s.machine, s.allocation, 96)
	if err != nil {
		t.Fatal(err)
	}
	was, is := s.crossing(t, mapping.Identity(96)), s.crossing(t, m)
	t.Logf("the job's seconds on loaded links: %.3g before, %.3g after", was, is)
	if !(is < was/2) {
		t.Errorf("the job's seconds on loaded links: %.3g before, %.3g after", was, is)
	}
	for _, x := range []mapping.Mapping{mapping.Identity(96), m} {
		if err := x.Check(len(hosts)); err != nil {
			t.Error(err)
		}
	}
	if start, end := elapsed(t, stdout, "before"), elapsed(t, stdout, "after"); !(end[2] < start[1]) {
		t.Errorf("simulated times before %v and after %v overlap", start, end)
	}
}

var elapsedCells = regexp.MustCompile(`(?m)^ (before|after): .* ([0-9.]+) +\[([0-9.]+), ([0-9.]+)\] `)

// elapsed finds time and interval of a row of the table of optimize, in us.
func elapsed(t *testing.T, table, row string) (cells [3]float64) {
	t.Helper()
	for _, found := range elapsedCells.FindAllStringSubmatch(table, -1) {
		if found[1] == row {
			for i := range cells {
				cells[i], _ = strconv.ParseFloat(found[2+i], 64)
			}
			return cells
		}
	}
	t.Fatalf("no row %s in:\n%s", row, table)
	return cells
}

// Counters as a site has published them: one snapshot, an empty file, ports of
// switches nobody described. The dump of the fabric is an excerpt, and refused by
// name; the switch in it that is whole takes a job.
func TestMeasuredPublishedCounters(t *testing.T) {
	data := shared(t)
	if data == "" {
		t.Skip("skipped: ../shared is absent")
	}
	folder := filepath.Join(data, "data", "ib-perfquery")
	excerpt := filepath.Join(folder, "ibnetdiscover__test.out")
	code, _, stderr := runHere("optimize", "--topology", excerpt, "--pattern", "ring:2", "--measured", folder)
	if code != exitFailed || !strings.Contains(stderr, "test.out:6: switch 0x7cfe900300b07320 (ib-i1l2s01) "+
		"is used but not described") {
		t.Errorf("code %d, stderr:\n%s", code, stderr)
	}
	text, err := os.ReadFile(excerpt)
	if err != nil {
		t.Fatal(err)
	}
	var whole strings.Builder
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if strings.Contains(line, "ib-i1l1s01") && strings.Contains(line, "HCA-1") {
			whole.WriteString(line)
		}
	}
	fabric := filepath.Join(t.TempDir(), "fabric.txt")
	if err := os.WriteFile(fabric, []byte(whole.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		said string
	}{
		{nil, "no link's rate is known"},
		{[]string{"--measured-seconds", "8640000"}, "the rates of 4 of 4 links, 2 told by the far end"},
	} {
		args := append([]string{"optimize", "--topology", fabric, "--pattern", "ring:2", "--measured", folder},
			c.args...)
		code, stdout, stderr := runHere(args...)
		if code != exitDone || !strings.Contains(stdout, "0,o0001,0\n1,o0002,0\n") {
			t.Errorf("code %d, stdout:\n%s\nstderr:\n%s", code, stdout, stderr)
		}
		for _, said := range []string{c.said, "one snapshot", "nobody answered (1): " +
			"perfquery__0x506b4b0300cc02a6.out", "ports without counters in every snapshot (2): ib-i1l1s01 port " +
			"10, ib-i1l1s01 port 11"} {
			if !strings.Contains(stderr, said) {
				t.Errorf("stderr does not say %q:\n%s", said, stderr)
			}
		}
	}
}

// seen is what simulate has measured of a mapping.
type seen struct {
	ElapsedNS float64  `json:"elapsed_ns"`
	Low       *float64 `json:"elapsed_ns_low"`
	High      *float64 `json:"elapsed_ns_high"`
}

// The simulator in place of the real network: what its links file tells of a run
// beside other jobs leads to mappings that are faster beside them, though not to
// those of a loop that simulates them.
func TestMeasuredAgainstKnownBackground(t *testing.T) {
	tier.Long(t, "two searches a seed")
	seeds := 3
	if tier.IsTable() {
		seeds = 10
	}
	t.Chdir(t.TempDir())
	read := func(args ...string) (s seen) {
		t.Helper()
		code, stdout, stderr := runHere(args...)
		if code != exitDone {
			t.Fatal(stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Log("| seed | start us | by --measured | by --background | measured/start | known/start |\n" +
		"|---|---|---|---|---|---|")
	var ratios []float64
	for seed := 1; seed <= seeds; seed++ {
		job := []string{"--topology", "fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=2," +
			"cores=0", "--pattern", fmt.Sprintf("uniform:10,rounds=8,seed=%d", seed),
			"--hosts", "n0,n1,n4,n5,n8,n9,n12,n13,n16,n17,n20,n21,n24,n25,n28,n29", "--json", "--quiet"}
		others := []string{"--background", fmt.Sprintf("uniform:8,rounds=4,seed=%d,endless=true@n2,n3,n6,n7,"+
			"n10,n11,n14,n15", 100+seed)}
		links, measured, known := fmt.Sprintf("links%d.csv", seed), fmt.Sprintf("measured%d.csv", seed),
			fmt.Sprintf("known%d.csv", seed)
		truth := slices.Concat([]string{"simulate", "--repeats", "10", "--seed", "99"}, job, others)
		start := read(append(truth, "--strategy", "identity", "--links", links)...)
		read(slices.Concat([]string{"optimize", "--control=false", "--measured", links, "--output", measured},
			job)...)
		read(slices.Concat([]string{"optimize", "--control=false", "--output", known}, job, others)...)
		m, k := read(append(truth, "--mapping", measured)...), read(append(truth, "--mapping", known)...)
		ratios = append(ratios, m.ElapsedNS/start.ElapsedNS)
		t.Logf("| %d | %.1f | %.1f [%.1f, %.1f] | %.1f [%.1f, %.1f] | %.2f | "+
			"%.2f |", seed, start.ElapsedNS/1e3, m.ElapsedNS/1e3, *m.Low/1e3, *m.High/1e3,
			k.ElapsedNS/1e3, *k.Low/1e3, *k.High/1e3, m.ElapsedNS/start.ElapsedNS, k.ElapsedNS/start.ElapsedNS)
	}
	slices.Sort(ratios)
	if median := ratios[len(ratios)/2]; median > 0.95 {
		t.Errorf("the median mapping of a measurement takes %.2f of the start's time", median)
	}
}
