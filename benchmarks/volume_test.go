package benchmarks

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remap/commgraph"
	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/sampling"
	"remap/strategy"
	"remap/topology"
	"remap/workload"
)

// volumeCase is a job whose mappings are put in order at the default cap of packets
// and at full volume.
type volumeCase struct {
	job      string // a pattern, or the recorded cg, amg (MapLib), heat64, MiniMD, MiniAMR (par-comm-data)
	topology string
	slots    int // a host; 0 = 1
}

const (
	tree64   = "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0"
	tree512  = "fattree:nodes-per-leaf=16,leaves-per-pod=8,pods=4,aggs-per-pod=8,cores=16"
	tree16k  = "fattree:nodes-per-leaf=32,leaves-per-pod=32,pods=16,aggs-per-pod=16,cores=64"
	tree65k  = "fattree:nodes-per-leaf=32,leaves-per-pod=32,pods=64,aggs-per-pod=16,cores=64"
	fly72    = "dragonfly:groups=9,routers=4,hosts=2,global=2"
	fly1056  = "dragonfly:groups=33,routers=8,hosts=4,global=4"
	hyper64  = "hyperx:4x4,hosts=4"
	hyper128 = "hyperx:4x4,hosts=8"
)

// volumeCases are thirty. Twelve of the first nineteen are above the cap: long
// profiles, many rounds, long messages.
var volumeCases = []volumeCase{
	{"cg", "torus:4x4x4", 0},
	{"cg", tree64, 0},
	{"amg", "torus:4x4x4", 0},
	{"amg", tree64, 0},
	{"amg", fly72, 0},
	{"heat64", tree64, 0},
	{"MiniMD", "torus:4x4x2", 4},
	{"MiniAMR", "torus:4x4x2", 4},
	{"stencil2d:8x8,rounds=600", tree64, 0},
	{"stencil2d:8x8,bytes=67108864", tree64, 0},
	{"stencil3d7:8x8x8,rounds=120,wait=true", "torus:8x8x8", 0},
	{"stencil3d27:4x4x4,rounds=700,bytes=65536", hyper64, 0},
	{"alltoall:64,bytes=4194304", tree64, 0},
	{"alltoall:64,rounds=30", "torus:4x4x4", 0},
	{"fft2d:planes=8,grid=4x2,bytes=67108864", tree64, 0},
	{"uniform:64,rounds=2000", tree64, 0},
	{"nas-cg:64,rounds=400", fly72, 0},
	{"geometric:128,rounds=400,bytes=65536", hyper128, 0},
	{"allreduce:64,bytes=1048576,rounds=100", "torus:4x4x4", 0},
	{"nas-cg:512,class=C", fly1056, 0},
	{"geometric:1024,heavy=4,bytes=16384", fly1056, 0},
	{"allreduce:512,bytes=1048576", tree512, 0},
	{"fft2d:planes=16,grid=8x4", tree512, 0},
	{"alltoall:512", tree512, 0},
	{"stencil3d7:12x12x12,rounds=4", "torus:12x12x12", 0},
	{"stencil2d:64x72", "tapered", 0},
	{"uniform:4096,rounds=8", "tapered", 0},
	{"stencil2d:128x128,rounds=2", tree16k, 0},
	{"stencil3d7:32x32x64", "torus:32x32x64", 0},
	{"stencil2d:256x256", tree65k, 0},
}

// volumeMappings are five ways to map; the last one takes the place of one that
// refuses the job.
var volumeMappings = []string{"identity", "random", "rcm", "multisection", "tiling", "cyclic"}

// volumeJob is a case made ready.
type volumeJob struct {
	problem *mapping.Problem
	whole   *workload.Program
	scaled  *workload.Program // at a cap
	options evalsim.Options
	recast  func(perRank int64) *workload.Program
}

// open reads or makes the job at the default cap.
func (c volumeCase) open(t *testing.T) *volumeJob {
	t.Helper()
	machine, err := topology.Parse(c.topology)
	if err != nil {
		t.Fatal(err)
	}
	j := &volumeJob{options: evalsim.DefaultOptions()}
	j.options.Sampling = sampling.Variant{}
	var traffic *commgraph.Traffic
	if strings.Contains(c.job, ":") {
		if j.whole, err = workload.ParsePattern(c.job); err != nil {
			t.Fatal(err)
		}
		if traffic, err = j.whole.Traffic(); err != nil {
			t.Fatal(err)
		}
		j.recast = func(perRank int64) *workload.Program {
			most := workload.Limit(j.whole.Packets(j.options.PacketBytes), j.whole.Ranks(), perRank)
			p, _ := workload.Scale(j.whole, j.options.PacketBytes, most)
			return p
		}
	} else {
		traffic = c.profile(t)
		j.recast = func(perRank int64) *workload.Program {
			o := workload.DefaultRecordedOptions()
			o.MaxPackets = workload.Limit(workload.RecordedPackets(traffic, o), traffic.Ranks(), perRank)
			p, err := workload.Recorded(traffic, o)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		j.whole = j.recast(workload.MaxPackets)
	}
	j.scaled = j.recast(workload.DefaultMaxPackets)
	a := &mapping.Allocation{}
	for h := range int32(machine.Hosts()) {
		a.Hosts, a.Slots = append(a.Hosts, h), append(a.Slots, int32(max(1, c.slots)))
	}
	j.problem = &mapping.Problem{Graph: traffic.Graph(), Traffic: traffic, Grid: j.whole.Grid, Machine: machine,
		Allocation: a, Seed: 1}
	return j
}

// profile is recorded traffic; the test is skipped where it is not there.
func (c volumeCase) profile(t *testing.T) *commgraph.Traffic {
	t.Helper()
	for _, r := range recordedCases {
		if r.name == c.job {
			return openRecorded(t, r.file).traffic
		}
	}
	if c.job == "heat64" {
		traffic, err := fixtures.Heat64()
		if err != nil {
			t.Fatal(err)
		}
		return traffic
	}
	traffic, err := commgraph.Open(filepath.Join(maplibFolder, c.job+".p2p.size.csv"), "")
	if err != nil {
		t.Skip("skipped: the recorded profiles are not there")
	}
	counts, err := os.Open(filepath.Join(maplibFolder, c.job+".p2p.count.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	if err := commgraph.ReadDenseCounts(traffic, counts.Name(), counts); err != nil {
		t.Fatal(err)
	}
	return traffic
}

// mappings are the first most that strategies make of the job.
func (j *volumeJob) mappings(t *testing.T, most int) (names []string, all []mapping.Mapping) {
	t.Helper()
	for _, name := range volumeMappings {
		s, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := s.Map(context.Background(), j.problem); err == nil && len(all) < most {
			names, all = append(names, name), append(all, m)
		}
	}
	return names, all
}

// play is what repeats of a program under a mapping come to, and the seconds that one takes.
func (j *volumeJob) play(t *testing.T, p *workload.Program, m mapping.Mapping,
	repeats int) (evalsim.Summary, float64) {
	t.Helper()
	began := time.Now()
	jobs := []evalsim.Job{{Program: p, Hosts: m.Hosts(j.problem.Allocation)}}
	results, err := evalsim.Repeat(context.Background(), j.problem.Machine, jobs, j.options, repeats, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return evalsim.Summarize(results), time.Since(began).Seconds() / float64(repeats)
}

// separated is by how much mappings must differ at full volume for their order to be kept.
const separated = 1.02

// compare puts the mappings of a case in order at a cap and at full volume, fails
// where two that full volume separates change places, and gives a row of the table.
func (c volumeCase) compare(t *testing.T, j *volumeJob, p *workload.Program, most, repeats int) string {
	t.Helper()
	names, mappings := j.mappings(t, most)
	told, full := make([]evalsim.Summary, len(names)), make([]evalsim.Summary, len(names))
	var seconds, wholeSeconds, worst float64
	for i, m := range mappings {
		told[i], seconds = j.play(t, p, m, repeats)
		if full[i], wholeSeconds = told[i], seconds; p != j.whole && p.VolumeScale < 1 {
			full[i], wholeSeconds = j.play(t, j.whole, m, 1)
		}
		worst = max(worst, math.Abs(float64(told[i].ElapsedNS)/float64(full[i].ElapsedNS)-1))
	}
	flips, unsettled := 0, 0
	for i := range names {
		for k := range names {
			if told[i].Unsettled(&told[k]) != "" && i < k {
				unsettled++
			}
			if float64(full[i].ElapsedNS)*separated < float64(full[k].ElapsedNS) &&
				told[i].ElapsedNS >= told[k].ElapsedNS {
				flips++
				t.Errorf("%s on %s: %s beats %s at full volume, %d to %d ns, but not as told, %d to %d",
					c.job, c.topology, names[i], names[k], full[i].ElapsedNS, full[k].ElapsedNS, told[i].ElapsedNS,
					told[k].ElapsedNS)
			}
		}
	}
	ratios := func(of []evalsim.Summary) string {
		var text []string
		for i := range of {
			text = append(text, fmt.Sprintf("%.3f", float64(of[i].ElapsedNS)/float64(of[0].ElapsedNS)))
		}
		return strings.Join(text, " ")
	}
	shape, _, _ := strings.Cut(c.topology, ":")
	perRank := j.whole.Packets(j.options.PacketBytes) / int64(j.whole.Ranks())
	return fmt.Sprintf("| %s | %s | %d | %d | %.3g | %s | %s | %.2f | %.1f | %d | %d | %.1f | %.1f |",
		c.job, shape, j.whole.Ranks(), perRank, p.VolumeScale, ratios(told), ratios(full),
		100*worst, 100*told[0].VolumeError, flips, unsettled, seconds, wholeSeconds)
}

// TestVolumeKeepsOrder: no two mappings that full volume separates by more than 2 %
// change places at the default cap: REMAP_TABLE=1 go test -run VolumeKeepsOrder -v -timeout 2h
// ./benchmarks, about half an hour on one core. Without it a few small jobs, at a lower cap.
func TestVolumeKeepsOrder(t *testing.T) {
	table := tier.IsTable()
	cases := volumeCases
	if !table {
		cases = []volumeCase{{"nas-cg:64,rounds=40", fly72, 0}, {"stencil2d:8x8,rounds=100", tree64, 0},
			{"stencil3d7:4x4x4,rounds=100,bytes=65536,wait=true", "torus:4x4x4", 0}, {"amg", tree64, 0},
		}[:tier.Cases(1, 4, 4)]
	}
	t.Log("times to identity's, at the cap and at full volume, of " + strings.Join(volumeMappings[:5], ", ") +
		" (cyclic where one refuses the job):")
	t.Log("| job | network | ranks | packets a rank | simulated | as told | at full volume | largest error % |" +
		" error told % | flips | not settled | s | s at full volume |\n|" + strings.Repeat("---|", 13))
	for _, c := range cases {
		t.Run(strings.NewReplacer("/", "-", "=", "").Replace(c.job+" on "+c.topology), func(t *testing.T) {
			j := c.open(t)
			p := j.scaled
			if !table {
				p = j.recast(max(4096, j.whole.Packets(j.options.PacketBytes)/int64(j.whole.Ranks())/4))
			}
			most := 5
			if !table {
				most = 3
			}
			repeats := 2
			if p.VolumeScale == 1 { // nothing is told that is not so
				repeats = 1
			}
			t.Log(c.compare(t, j, p, most, repeats))
		})
	}
}
