package feedback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// step is what a made-up run does: a value of its number alone, or an error.
func step(n int) (savedEvaluation, error) {
	if n%5 == 4 {
		return savedEvaluation{}, fmt.Errorf("step %d has no result", n)
	}
	r := sampling.NewRandom(uint64(n))
	j := savedEvaluation{Dropped: n%3 == 0,
		Repeats: []savedResult{{Makespan: float64(r.Below(1000)), Elapsed: []float64{1, float64(n)}}}}
	if n%2 == 0 {
		j.Seen = &savedLinks{Congested: []float64{0, 0.5}, Own: []float64{1. / 3, 0},
			Foreign: []float64{0, 0}}
	}
	return j, nil
}

// outcomes runs `steps` steps over a journal and gives what each came to, and how many were done.
func outcomes(t fataler, path, identity string, steps int) (all []string, done int, err error) {
	j, err := OpenJournal(path, identity)
	if err != nil {
		return nil, 0, err
	}
	for n := range steps {
		value, failed := recall(context.Background(), j, fmt.Sprint("step ", n),
			func() (savedEvaluation, error) {
				done++
				return step(n)
			})
		if errors.Is(failed, ErrState) {
			t.Fatal(failed)
		}
		all = append(all, fmt.Sprintf("%+v %v %v", value.Repeats, value.Dropped, failed))
		if value.Seen != nil {
			all[n] += fmt.Sprintf(" %+v", *value.Seen)
		}
	}
	return all, done, j.file.Close() // without making it durable: that is slow
}

const identity = "remap 1\n--seed 1"

// A journal that is cut anywhere, has any byte changed or anything behind its end gives the same
// outcomes, or is refused when it is opened. Steps behind the damage are done again, those before
// it are not.
func TestJournalDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	want, done, err := outcomes(t, path, identity, 5)
	if err != nil || done != 5 {
		t.Fatal(done, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := len(journalMark) + 4 + len(identity)
	check := func(what string, content []byte, harmless bool) (done int) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		got, done, err := outcomes(t, path, identity, 5)
		switch {
		case err != nil && harmless:
			t.Errorf("%s: %v", what, err)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("%s: another outcome", what)
		}
		if err != nil {
			if after, _ := os.ReadFile(path); !reflect.DeepEqual(after, content) {
				t.Errorf("%s: refused, and changed", what)
			}
			return done
		}
		if after, _ := os.ReadFile(path); len(after) < len(whole) ||
			!reflect.DeepEqual(after[:len(whole)], whole) {
			t.Errorf("%s: the journal is not whole again", what)
		}
		return done
	}
	every := tier.Cases(41, 5, 1)
	for n := 0; n < len(whole); n += every {
		check(fmt.Sprintf("cut at %d", n), whole[:n], true)
		flipped := append([]byte(nil), whole...)
		flipped[n] ^= 1 << (n % 8)
		check(fmt.Sprintf("byte %d flipped", n), flipped, n >= head)
	}
	if err := os.WriteFile(path, append(slices.Clone(whole), make([]byte, 4096)...), 0o666); err != nil {
		t.Fatal(err)
	}
	if j, err := OpenJournal(path, identity); err != nil || j.Known() != 5 {
		t.Errorf("zeros count as steps: %+v, %v", j, err)
	} else {
		j.file.Close()
	}
	for what, behind := range map[string][]byte{"nothing": nil, "zeros": make([]byte, 4096),
		"itself": whole} {
		if done := check(what+" behind", append(append([]byte(nil), whole...), behind...), true); done != 0 {
			t.Errorf("%s behind: %d steps were done again", what, done)
		}
	}
}

// No content of a file changes outcomes or causes a panic.
func FuzzJournal(f *testing.F) {
	path := filepath.Join(f.TempDir(), "journal")
	if _, _, err := outcomes(f, path, identity, 6); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(journalMark))
	f.Add([]byte(journalMark + "\xff\xff\xff\xff"))
	f.Add([]byte("rank,host,slot\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		got, _, err := outcomes(t, path, identity, 6)
		if err != nil {
			return
		}
		for n, text := range got {
			value, failed := step(n)
			want := fmt.Sprintf("%+v %v %v", value.Repeats, value.Dropped, failed)
			if value.Seen != nil {
				want += fmt.Sprintf(" %+v", *value.Seen)
			}
			if text != want {
				t.Errorf("step %d came to %s, want %s", n, text, want)
			}
		}
	})
}

// TestJournalOfOthers: another identity is refused by its first line that differs, cut to what a
// person reads; so is a journal in use.
func TestJournalOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	long := "--hosts " + strings.Repeat("n1,", 5000)
	j, err := OpenJournal(path, "a\n"+long+"x\nb")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, "a\n"+long+"x\nb"); !errors.Is(err, ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	j.Close()
	for identity, want := range map[string]string{
		"a\n" + long + "y\nb":   "n1,n1,y",
		"a\n" + long + "x":      "it has b, this run has nothing",
		"a\n" + long + "x\nb\n": "it has nothing, this run has ",
		"c":                     "it has a, this run has c",
	} {
		_, err := OpenJournal(path, identity)
		if !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// Every bit of what is saved comes back, whatever the numbers.
func TestSavedExactly(t *testing.T) {
	// no -0: a field that is zero is left out
	time := rapid.OneOf(rapid.Float64Range(0, math.Inf(1)), rapid.Just(math.NaN()))
	float := rapid.OneOf(rapid.Float64(),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
			math.SmallestNonzeroFloat64, math.MaxFloat64}))
	path := filepath.Join(t.TempDir(), "journal")
	rapid.Check(t, func(t *rapid.T) {
		os.Remove(path)
		floats := rapid.SliceOfN(float, 0, 4)
		want := savedEvaluation{Dropped: rapid.Bool().Draw(t, "dropped")}
		for range rapid.IntRange(0, 3).Draw(t, "repeats") {
			want.Repeats = append(want.Repeats, savedResult{Makespan: time.Draw(t, "makespan"),
				Elapsed:   floats.Draw(t, "elapsed"),
				Jobs:      []evalsim.JobStats{{Packets: rapid.Int64().Draw(t, "packets")}},
				Congested: rapid.Int64().Draw(t, "congested"), VolumeScale: time.Draw(t, "scale")})
		}
		if rapid.Bool().Draw(t, "seen") {
			want.Seen = &savedLinks{Congested: floats.Draw(t, "congested"), Own: floats.Draw(t, "own"),
				Foreign: floats.Draw(t, "foreign")}
		}
		for range 2 {
			j, err := OpenJournal(path, "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := recall(context.Background(), j, "it",
				func() (savedEvaluation, error) { return want, nil })
			if err != nil || text(got) != text(want) {
				t.Fatalf("%s came back as %s: %v", text(want), text(got), err)
			}
			j.Close()
		}
	})
}

// text is every bit of a savedEvaluation.
func text(j savedEvaluation) string {
	bits := func(values ...float64) (text string) {
		for _, v := range values {
			text += fmt.Sprintf(" %x", math.Float64bits(v))
		}
		return text
	}
	all := fmt.Sprint(j.Dropped, j.Seen != nil, j.Flows)
	for _, r := range j.Repeats {
		all += bits(r.Makespan, r.VolumeScale) + bits(r.Elapsed...) + fmt.Sprint(r.Jobs, r.Congested)
	}
	if j.Seen != nil {
		all += bits(j.Seen.Congested...) + "," + bits(j.Seen.Own...) + "," + bits(j.Seen.Foreign...)
	}
	return all
}

// loop is a search among made-up times on a made-up network that sees congestion.
func loop(t fataler) Settings {
	p := leaves(t, 8)
	s := DefaultSettings()
	s.Problem, s.Traffic, s.Strategies = p, p.Traffic, []mapping.Strategy{mapping.RandomStrategy()}
	s.Refine, s.RandomRestarts, s.Patience, s.Rounds = nil, true, 3, 6
	random := mapping.RandomStrategy()
	s.Strategies = append(s.Strategies, mapping.Strategy{Name: "other",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			q := *p
			for l, cost := range p.LinkCost {
				q.Seed += uint64(l) * math.Float64bits(cost)
			}
			return random.Map(ctx, &q)
		}})
	s.Evaluate = OneAtATime(func(ctx context.Context, m mapping.Mapping, first,
		count int) (*Evaluation, error) {
		e := &Evaluation{}
		for i := range count {
			n := len(p.Machine.Links)
			r := &evalsim.Result{PortHops: 40, Congested: 20, VolumeScale: 1,
				Links: make([]evalsim.LinkStats, n), Own: make([]evalsim.OwnLink, n),
				Flows: [][]evalsim.FlowStats{make([]evalsim.FlowStats, len(p.Traffic.Bytes))}}
			seed := uint64(0)
			for r, s := range m {
				seed = seed*31 + uint64(r)*7 + uint64(s)
			}
			noise := sampling.NewRandom(seed + uint64(first+i))
			r.Makespan = 1e6 + float64(seed%1000)*100 + float64(noise.Below(20000))
			for l := range r.Own {
				r.Own[l] = evalsim.OwnLink{Bytes: 1000, Packets: 10, Congested: int64((seed >> l) % 10)}
				r.Links[l].Bytes = 1500
			}
			e.Results = append(e.Results, r)
		}
		return e, ctx.Err()
	})
	return s
}

// told is all of a result that counts.
func told(r *Result) string {
	text := fmt.Sprint(r.Stopped, r.Simulations, r.RestartSimulations, r.Gain, r.OverRestarts, r.Bound, r.Fresh)
	for _, c := range append([]Candidate{r.Start, r.Static, r.Best, *r.Restarts}, r.Candidates...) {
		text += fmt.Sprint("\n", c.Round, c.Strategy, c.Model, c.From, c.Mapping, c.Summary.ElapsedNS,
			c.Dropped)
	}
	return text
}

// A search whose journal was cut at any byte, or that was interrupted at any moment, ends with the
// undisturbed result. Keep gets the best so far.
func TestSearchContinues(t *testing.T) {
	whole, err := Optimize(context.Background(), loop(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	run := func(ctx context.Context, s Settings) *Result {
		j, err := OpenJournal(path, "a search")
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		s.Journal = j
		r, err := Optimize(ctx, s)
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		return r
	}
	if got := run(context.Background(), loop(t)); told(got) != told(whole) {
		t.Fatalf("with a journal:\n%s\nwant\n%s", told(got), told(whole))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fewer := loop(t)
	fewer.Rounds = 2
	undisturbed, err := Optimize(context.Background(), fewer)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(context.Background(), fewer); told(got) != told(undisturbed) {
		t.Fatalf("with fewer rounds than the journal has:\n%s\nwant\n%s", told(got), told(undisturbed))
	}
	if got := run(context.Background(), loop(t)); told(got) != told(whole) {
		t.Fatalf("with more rounds than the journal has:\n%s\nwant\n%s", told(got), told(whole))
	}
	random, times := sampling.NewRandom(3), 12
	if tier.IsLong() {
		times = 200
	}
	for range times {
		if err := os.WriteFile(path, content[:random.Below(uint32(len(content)+1))], 0o666); err != nil {
			t.Fatal(err)
		}
		s, ends := loop(nil), int(1+random.Below(200)) // evaluations
		ctx, cancel := context.WithCancel(context.Background())
		evaluate := s.Evaluate
		s.Evaluate = OneAtATime(func(ctx context.Context, m mapping.Mapping,
			first, count int) (*Evaluation, error) {
			if ends--; ends == 0 {
				cancel()
			}
			return evaluate(ctx, m, first, count)
		})
		run(ctx, s)
		cancel()
		var best mapping.Mapping
		s = loop(nil)
		s.OnBest = func(m mapping.Mapping) error {
			best = m
			return nil
		}
		got := run(context.Background(), s)
		if told(got) != told(whole) || !reflect.DeepEqual(best, whole.Best.Mapping) {
			t.Fatalf("another result:\n%s\nwant\n%s", told(got), told(whole))
		}
	}
}

// A journal that can no longer be written ends the search with an error that says so, at whatever
// step. No strategy is skipped because of it.
func TestFullDisk(t *testing.T) {
	for full := range 24 {
		path := filepath.Join(t.TempDir(), "journal")
		j, err := OpenJournal(path, "a search")
		if err != nil {
			t.Fatal(err)
		}
		broken, err := os.Open(path) // as a full disk: what is there can be read
		if err != nil {
			t.Fatal(err)
		}
		s := loop(t)
		s.Journal = j
		steps := 0
		fill := func() {
			if steps++; steps > full {
				j.file = broken
			}
		}
		s.View = func(t *topology.Topology, e *Evaluation) *LinkView {
			fill()
			return ExactView(t, e)
		}
		for i, strategy := range s.Strategies {
			s.Strategies[i].Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
				fill()
				return strategy.Map(ctx, p)
			}
		}
		if r, err := Optimize(context.Background(), s); r != nil || !errors.Is(err, ErrState) ||
			!strings.HasPrefix(err.Error(), ErrState.Error()+": ") || !strings.Contains(err.Error(), path) {
			t.Errorf("full after %d steps: %v, %v", full, r, err)
		}
	}
}
