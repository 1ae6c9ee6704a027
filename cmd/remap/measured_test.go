package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/counters"
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
func newSite(t *testing.T, fabric, pattern string, hosts []string, foreign func(t *topology.Topology, l *topology.Link) (use, stall float64)) *site {
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
		first[l] = counters.PortCounters{SentWords: random.Uint64N(1 << 45), ReceivedWords: random.Uint64N(1 << 45), Waited: random.Uint64N(1 << 33)}
		words := func(link int32) uint64 {
			return uint64((s.own[link] + s.use[link]) * s.machine.Links[link].BytesPerSecond * siteSeconds / 4)
		}
		second[l] = first[l]
		second[l].SentWords += words(int32(l))
		second[l].ReceivedWords += words(s.machine.Reverse(int32(l)))
		second[l].Waited += uint64(s.stall[l] * s.machine.Links[l].BytesPerSecond * siteSeconds / 128) // 32 bytes on each of 4 lanes
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

// Two snapshots of a real fabric, written from known loads: remap finds the
// loaded links, and moves the job off them.
func TestMeasuredRealFabric(t *testing.T) {
	data := shared(t)
	if data == "" {
		t.Skip("skipped: ../shared is absent")
	}
	fabric := filepath.Join(data, "data", "ib-loginoff", "topo.ibnetdiscover")
	var hosts []string
	for i := 1; i <= 134; i++ {
		hosts = append(hosts, fmt.Sprintf("stage%d", i))
	}
	hot := func(m *topology.Topology, l *topology.Link) (use, stall float64) {
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
	s := newSite(t, fabric, "uniform:96,rounds=8", hosts, hot)
	folder := t.TempDir()
	before, after, best := filepath.Join(folder, "before.txt"), filepath.Join(folder, "after.txt"), filepath.Join(folder, "best.csv")
	s.dump(t, before, after)
	code, stdout, stderr := runHere("optimize", "--topology", fabric, "--pattern", "uniform:96,rounds=8", "--hosts", "stage[1-134]", "--rounds", "2", "--control=false",
		"--measured", before, "--measured", after, "--measured-seconds", fmt.Sprint(siteSeconds), "--output", best, "--json")
	t.Log("\n", stderr)
	if code != exitDone {
		t.Fatal(stderr)
	}
	var out struct {
		Start, Best struct {
			ElapsedNS float64 `json:"elapsed_ns"`
		}
		GainLow *float64 `json:"gain_low"`
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(best)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := launcher.Read(best, file, s.machine, s.allocation, 96)
	if err != nil {
		t.Fatal(err)
	}
	was, is := s.crossing(t, mapping.Identity(96)), s.crossing(t, m)
	t.Logf("start %.0f ns, best %.0f ns; seconds on loaded links: %.3g, %.3g", out.Start.ElapsedNS, out.Best.ElapsedNS, was, is)
	if !(is < was/2) || !(out.Best.ElapsedNS < 0.8*out.Start.ElapsedNS) {
		t.Errorf("start %.0f ns, best %.0f ns; seconds on loaded links: %.3g, %.3g", out.Start.ElapsedNS, out.Best.ElapsedNS, was, is)
	}
}
