package counters

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/topology"
)

// written is files of these texts, in order.
func written(t *testing.T, texts ...string) (paths []string) {
	t.Helper()
	folder := t.TempDir()
	for i, text := range texts {
		path := filepath.Join(folder, fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// dumpsOf is the snapshots of ports that in each interval send words[interval][link], in
// one second, and wait so many ticks.
func dumpsOf(t interface{ Fatal(...any) }, machine *topology.Topology, words [][]uint64) []string {
	n := len(machine.Links)
	ports := make([]PortCounters, n)
	texts := []string{printed(t, machine, ports)}
	for _, sent := range words {
		for l := range n {
			ports[l].SentWords += sent[l]
			ports[l].ReceivedWords += sent[machine.Reverse(int32(l))]
			ports[l].Waited += sent[l] / 1000
		}
		texts = append(texts, printed(t, machine, ports))
	}
	return texts
}

// Between snapshots, rates and stalls add up to those of the whole time, and the whole is the
// difference of the first and the last.
func TestWindowsAddUp(t *testing.T) {
	machine := fabricOf(t, smallTree)
	rapid.Check(t, func(rt *rapid.T) {
		intervals := rapid.IntRange(1, MostWindows).Draw(rt, "intervals")
		words := make([][]uint64, intervals)
		for i := range words {
			for l := range machine.Links {
				most := uint64(machine.Links[l].BytesPerSecond / 4)
				words[i] = append(words[i], rapid.Uint64Max(most).Draw(rt, "words"))
			}
		}
		texts := dumpsOf(rt, machine, words)
		o := Options{Seconds: 1, Tick: -1}
		links, err := Open(machine, written(t, texts...), o)
		if err != nil {
			rt.Fatal(err)
		}
		all := Options{Seconds: float64(intervals), Tick: -1}
		first, last := snapshot(rt, texts[0]), snapshot(rt, texts[intervals])
		whole, err := Difference(machine, first, last, all)
		if err != nil {
			rt.Fatal(err)
		}
		if intervals == 1 && links.Windows != nil || intervals > 1 && len(links.Windows) != intervals {
			rt.Fatalf("%d windows of %d intervals", len(links.Windows), intervals)
		}
		for l := range machine.Links {
			if links.Rate[l] != whole.Rate[l] || links.Congested[l] != whole.Congested[l] || !links.Known[l] {
				rt.Fatalf("link %d: %g %g over the whole time, by its ends %g %g", l, links.Rate[l],
					links.Congested[l], whole.Rate[l], whole.Congested[l])
			}
			rate, congested := 0.0, 0.0
			for i, w := range links.Windows {
				if w.Rate[l] != 4*float64(words[i][l]) {
					rt.Fatalf("link %d, interval %d: rate %g of %d words", l, i, w.Rate[l], words[i][l])
				}
				rate, congested = rate+w.Rate[l], congested+w.Congested[l]
			}
			n := float64(intervals)
			if intervals > 1 && (!near(rate/n, whole.Rate[l], 1e-3) || !near(congested/n, whole.Congested[l], 1e-9)) {
				rt.Fatalf("link %d: %g %g in the mean of intervals, %g %g in all", l, rate/n, congested/n,
					whole.Rate[l], whole.Congested[l])
			}
		}
		if links.Count != whole.Count || len(links.Warnings) != len(whole.Warnings) {
			rt.Fatalf("counted %+v %q, want %+v %q", links.Count, links.Warnings, whole.Count, whole.Warnings)
		}
	})
}

// A counter that was reset in one interval, and went beyond its first value again, is not
// used from first to last; a port that one snapshot lacks has its mean in the intervals.
func TestWindowsWithGaps(t *testing.T) {
	machine := fabricOf(t, smallTree)
	const reset, gone = 0, 5
	words := make([][]uint64, 3)
	for i := range words {
		for range machine.Links {
			words[i] = append(words[i], uint64(1000*(i+1)))
		}
	}
	texts := dumpsOf(t, machine, words)
	n := len(machine.Links)
	ports := make([]PortCounters, n)
	for l := range ports {
		ports[l] = PortCounters{SentWords: 6000, ReceivedWords: 6000, Waited: 6}
	}
	ports[reset].SentWords = 2500 // at 3000 in the snapshot before
	texts[3] = printed(t, machine, ports)
	cutOut := func(text string, l int32) string {
		return cut(text, header(machine.Ports[l].LID, machine.Ports[l].Number))
	}
	texts[1] = cutOut(cutOut(texts[1], gone), machine.Reverse(gone))
	links, err := Open(machine, written(t, texts...), Options{Seconds: 1, Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	if links.Rate[reset] != 4*(1000+2000+3000)/3 || links.Rate[gone] != 8000 {
		t.Errorf("rates %g after a reset, %g of a port that was away", links.Rate[reset], links.Rate[gone])
	}
	for i, want := range []float64{8000, 8000, 12000} {
		if w := links.Windows[i]; !w.Known[gone] || w.Rate[gone] != want {
			t.Errorf("interval %d: rate %g of a port that one snapshot lacks, want %g", i, w.Rate[gone], want)
		}
	}
	warnings := strings.Join(links.Warnings, "\n")
	if links.Count.Reset != 1 || links.Count.Measured != n ||
		!strings.Contains(warnings, "interval 3 of 3: ports with a counter that went back") {
		t.Errorf("%+v\n%s", links.Count, warnings)
	}
}

// Several tables are intervals; over the whole time a link has the mean over those that
// know it.
func TestSeveralTables(t *testing.T) {
	machine := parse(t, smallTree)
	leaf := machine.NodeName(machine.Links[0].To)
	head := "from,port,to,seconds,bytes,congested_fraction\n"
	row := func(bytes int, congested float64) string {
		return fmt.Sprintf("n0,0,%s,2,%d,%g\n", leaf, bytes, congested)
	}
	both := row(4000, 0.2) + fmt.Sprintf("%s,0,n0,2,600,0\n", leaf)
	paths := written(t, head+row(2000, 0.1), head+both, head+row(9000, 0.6))
	links, err := Open(machine, paths, Options{Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	back := machine.Reverse(0)
	if links.Rate[0] != 2500 || !near(links.Congested[0], 0.3, 1e-12) || links.Rate[back] != 300 ||
		links.Count.Measured != 2 || links.Count.Missing != len(machine.Links)-1 || len(links.Windows) != 3 {
		t.Errorf("rates %g %g, congested %g, %+v", links.Rate[0], links.Rate[back], links.Congested[0], links.Count)
	}
	for i, want := range []float64{1000, 2000, 4500} {
		if w := links.Windows[i]; w.Rate[0] != want || w.Rate[back] != 300 {
			t.Errorf("table %d: rates %g %g, want %g and 300", i, w.Rate[0], w.Rate[back], want)
		}
	}
	one, err := Open(machine, paths[:1], Options{Tick: -1})
	if err != nil || one.Windows != nil || one.Rate[0] != 1000 {
		t.Errorf("one table: %+v %v", one, err)
	}
}

func TestWindowsRefused(t *testing.T) {
	machine := fabricOf(t, smallTree)
	table := "from,port,to,seconds,bytes,congested_fraction\nn0,0,,1,5,0\n"
	dump := printed(t, machine, make([]PortCounters, len(machine.Links)))
	for _, c := range []struct {
		texts  []string
		reason string
	}{
		{nil, "0 measurements"},
		{[]string{dump, dump, dump, dump, dump, dump}, "6 measurements"},
		{[]string{table, table, table, table, table}, "5 tables"},
		{[]string{dump, dump, table}, "2.txt: a table of links, where snapshots"},
		{[]string{table, dump}, "0.txt: a table of links, where snapshots"},
		{[]string{dump, "# Port counters: Lid 777 port 3\nPortXmitData:.....4\n", dump}, "none of the ports"},
	} {
		_, err := Open(machine, written(t, c.texts...), Options{Seconds: 1, Tick: -1})
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
