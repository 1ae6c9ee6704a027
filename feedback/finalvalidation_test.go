package feedback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/mapping"
	"remap/sampling"
)

// of is an evaluation of given times.
func of(times ...float64) *Evaluation {
	e := &Evaluation{}
	for _, t := range times {
		e.Results = append(e.Results, &evalsim.Result{Makespan: t, VolumeScale: 1})
	}
	return e
}

// TestGainByHand: the median of paired savings, in per cent of the slower time.
func TestGainByHand(t *testing.T) {
	g := gainOver(of(100, 200, 100, 100, 200, 100, 100), of(90, 160, 70, 100, 190, 80, 150))
	if !g.Known || math.Abs(g.Percent-10) > 1e-9 || math.Abs(g.Low+50) > 1e-9 || math.Abs(g.High-30) > 1e-9 ||
		g.Proven() {
		t.Errorf("%+v, want 10 [-50, 30]", g) // of 7 the interval is the least and the most
	}
	if g := gainOver(of(0, 0, 0, 0, 0, 0), of(0, 0, 0, 0, 0, 0)); g.Percent != 0 || g.Proven() {
		t.Errorf("of no time: %+v", g)
	}
}

// Equal times gain nothing. What is faster in one order is slower in the other. Noise that is
// common to both changes nothing. Nothing is proven with fewer than 6 repeats, nor unless nearly
// every pair is faster.
func TestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "repeats")
		times := rapid.SliceOfN(rapid.Float64Range(1, 1000), n, n)
		a, b, noise := times.Draw(t, "a"), times.Draw(t, "b"), times.Draw(t, "noise")
		if g := gainOver(of(a...), of(a...)); g.Percent != 0 || g.Low != 0 || g.High != 0 || g.Proven() {
			t.Fatalf("over itself: %+v", g)
		}
		g, back := gainOver(of(a...), of(b...)), gainOver(of(b...), of(a...))
		if g.Proven() && (back.Proven() || back.High >= 0) || g.Known != (n >= 6) ||
			g.Known && (g.Low > g.Percent || g.Percent > g.High) {
			t.Fatalf("%+v, and back %+v", g, back)
		}
		faster := 0
		for i := range a {
			if b[i] < a[i] {
				faster++
			}
			a[i], b[i] = a[i]*noise[i], b[i]*noise[i]
		}
		with := gainOver(of(a...), of(b...))
		if math.Abs(with.Percent-g.Percent) > 1e-6*(1+math.Abs(g.Percent)) ||
			with.Proven() != g.Proven() {
			t.Fatalf("%+v, with common noise %+v", g, with)
		}
		if g.Proven() && (n < 6 || faster <= n/2) {
			t.Fatalf("%+v is proven by %d of %d pairs", g, faster, n)
		}
	})
}

// The result is proven faster than the start, or is the start, and the latter only where none of the
// others is proven faster. Nothing is proven faster than it. The gain is over the faster one of start
// and static mapping.
func TestFallBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "repeats")
		candidate := func(name string, slot int32) Candidate {
			level := rapid.Float64Range(90, 110).Draw(t, name)
			times := rapid.SliceOfN(rapid.Float64Range(level, level*1.05), n, n).Draw(t, name)
			return Candidate{Strategy: name, Mapping: mapping.Mapping{slot}, Evaluation: of(times...)}
		}
		start, static, best, restarts := candidate("start", 0), candidate("static", 1),
			candidate("best", 2), candidate("restarts", 3)
		s := &search{result: &Result{Start: start, Static: static, Best: best, Restarts: &restarts,
			Feedback: &best}}
		s.fallBack()
		r := s.result
		switch {
		case proven(&r.Start, &r.Best), proven(&r.Static, &r.Best):
			t.Fatal("the best is slower than what it is to beat")
		case r.Best.Strategy != "start" && !proven(&r.Best, &start):
			t.Fatal("ranks move for a mapping that is not proven faster")
		case r.Best.Strategy == "start" && (proven(&static, &start) && r.Static.Strategy != "start" ||
			proven(&best, &start) || proven(&restarts, &start)):
			t.Fatal("the start stays beside a mapping that is proven faster")
		case r.Best.Strategy == r.Static.Strategy && r.Gain.Percent != 0:
			t.Fatalf("a gain of %+v over itself", r.Gain)
		case r.Best.Strategy != r.Static.Strategy &&
			median(r.Static.Evaluation.Times()) > min(median(start.Evaluation.Times()),
				median(static.Evaluation.Times())):
			t.Fatal("the gain is over the slower of start and static")
		case proven(&best, &start) && proven(&best, &static) && r.Best.Strategy != "best":
			t.Fatal("a proven gain was given up")
		}
	})
}

// A mapping that is proven faster than the start is the result where the best static one is not, and has
// no proven gain over that.
func TestProvenOverTheStart(t *testing.T) {
	s := &search{result: &Result{
		Start:  Candidate{Mapping: mapping.Mapping{0}, Evaluation: of(100, 100, 100, 100, 100, 100)},
		Static: Candidate{Mapping: mapping.Mapping{1}, Evaluation: of(97, 97, 97, 97, 97, 101)},
		Best:   Candidate{Mapping: mapping.Mapping{2}, Evaluation: of(98, 98, 98, 98, 98, 98)},
	}}
	s.fallBack()
	if r := s.result; r.Best.Mapping[0] != 2 || r.Static.Mapping[0] != 1 || r.Gain.Proven() {
		t.Errorf("a gain of %+v by mapping %v over %v", r.Gain, r.Best.Mapping, r.Static.Mapping)
	}
	// Restarts stand in where the search has found nothing better.
	restarts := s.result.Best
	s.result.Restarts, s.result.Feedback, s.result.Best = &restarts, &restarts, s.result.Start
	s.fallBack()
	if r := s.result; r.Best.Mapping[0] != 2 {
		t.Errorf("the result is mapping %v", r.Best.Mapping)
	}
}

// choose finds the mapping that is fastest on other seeds, of at most four that the search cannot
// tell from the best and that were not dropped. Without a final validation it is the fastest of the
// search.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "candidates")
		truth := rapid.SliceOfN(rapid.Float64Range(100, 200), n, n).Draw(t, "on other seeds")
		s := newSearch(Settings{Problem: leaves(t, 2), ValidationRepeats: rapid.SampledFrom([]int{0, 1, 6}).Draw(t,
			"judge")})
		asked := map[int32]int{}
		each := max(1, s.ValidationRepeats/5)
		s.Evaluate = OneAtATime(func(_ context.Context, m mapping.Mapping,
			first, count int) (*Evaluation, error) {
			if first != secondRepeat+asked[m[0]] || count != each && count != 2*each {
				t.Fatalf("asked for %d+%d of %v", first, count, m)
			}
			asked[m[0]] += count
			return of(slices.Repeat([]float64{truth[m[0]]}, count)...), nil
		})
		least := math.Inf(1)
		for i := range int32(n) {
			c := &Candidate{Mapping: mapping.Mapping{i}, Dropped: i > 0 && rapid.Bool().Draw(t, "dropped")}
			c.Evaluation = of(rapid.SliceOfN(rapid.Float64Range(100, 103), 6, 6).Draw(t, "times")...)
			if c.Dropped {
				c.Evaluation = of(1, 1)
			} else {
				least = min(least, median(c.Evaluation.Times()))
			}
			s.candidates = append(s.candidates, c)
		}
		chosen, err := s.choose(context.Background(), s.candidates)
		if err != nil || chosen.Dropped || len(asked) > finalists {
			t.Fatalf("%+v of %d asked: %v", chosen, len(asked), err)
		}
		if len(asked) == 0 && median(chosen.Evaluation.Times()) != least {
			t.Fatal("nobody was asked, and the chosen one is not the fastest")
		}
		for other := range asked {
			if truth[other] < truth[chosen.Mapping[0]] {
				t.Fatal("a finalist was faster")
			}
		}
		// and no candidate is evaluated twice
		if again, err := s.choose(context.Background(), s.candidates); err != nil || again != chosen {
			t.Fatal(err)
		}
	})
}

// Random restarts simulate as many mappings as the search beside the static ones, which both share.
// They change nothing of what the search finds.
func TestRandomRestarts(t *testing.T) {
	for seed := range uint64(20) {
		settings := loop(t)
		settings.Problem.Seed = seed
		evaluated := map[string]int{} // mappings, by first repeats
		evaluate := settings.Evaluate
		settings.Evaluate = OneAtATime(func(ctx context.Context, m mapping.Mapping,
			first, count int) (*Evaluation, error) {
			if first == 0 {
				evaluated[key(m)]++
			}
			return evaluate(ctx, m, first, count)
		})
		with, err := Optimize(context.Background(), settings)
		if err != nil {
			t.Fatal(err)
		}
		static := 0
		for _, c := range with.Candidates {
			if c.Round == 0 {
				static++
				if evaluated[key(c.Mapping)] != 1 {
					t.Errorf("seed %d: a static mapping was evaluated %d times", seed,
						evaluated[key(c.Mapping)])
				}
			}
		}
		if with.RestartSimulations != with.Simulations-static || with.Restarts == nil {
			t.Errorf("seed %d: %d mappings against %d of the search", seed, with.RestartSimulations,
				with.Simulations-static)
		}
		settings.RandomRestarts = false
		without, err := Optimize(context.Background(), settings)
		if err != nil {
			t.Fatal(err)
		}
		// restarts asked for them
		more := len(with.Best.Evaluation.Results) != len(without.Best.Evaluation.Results)
		restarts := proven(with.Restarts, with.Feedback) || more
		if without.Restarts != nil || !restarts &&
			(!reflect.DeepEqual(with.Best.Mapping, without.Best.Mapping) ||
				!reflect.DeepEqual(with.Static.Mapping, without.Static.Mapping) ||
				with.Gain != without.Gain) || len(with.Candidates) != len(without.Candidates) ||
			with.Stopped != without.Stopped {
			t.Errorf("seed %d: the search without its control differs", seed)
		}
	}
}

// Where strategies give no other mapping, random restarts simulate fewer, and the result says so.
func TestRandomRestartsOfFewMappings(t *testing.T) {
	s := loop(t)
	calls := int32(0)
	s.Strategies = []mapping.Strategy{{Name: "one", Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		m := mapping.Identity(p.Ranks())
		if p.LinkCost != nil || p.LinkFree != nil { // a restart, in the search alone
			calls++
			m[0], m[1+calls%7] = m[1+calls%7], m[0]
		}
		return m, nil
	}}}
	r, err := Optimize(context.Background(), s)
	if err != nil || r.Simulations < 3 || r.RestartSimulations != 0 || r.Restarts == nil ||
		!slices.Equal(r.Restarts.Mapping, r.Start.Mapping) {
		t.Errorf("%d of %d mappings, %+v: %v", r.RestartSimulations, r.Simulations, r.Restarts, err)
	}
}

// TestSimulationsAreKept: no more mappings are simulated than the budget says, closer
// looks included, and as many unless the search had ended before.
func TestSimulationsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := loop(t)
		nothing := rapid.Bool().Draw(t, "the coarse look sees nothing")
		s.Simulations, s.ValidationRepeats = rapid.IntRange(1, 40).Draw(t, "simulations"), 1
		coarse, done := s.Evaluate, map[string]bool{}
		count := func(look string) Evaluate {
			return OneAtATime(func(ctx context.Context, m mapping.Mapping, first,
				count int) (*Evaluation, error) {
				e, err := coarse(ctx, m, first, count)
				for _, r := range e.Results {
					if look == "coarse" && nothing {
						r.Congested = 0
						for i := range r.Flows[0] {
							r.Flows[0][i].CongestedHops = 0
						}
					}
				}
				done[look+key(m)] = done[look+key(m)] || first < secondRepeat
				return e, err
			})
		}
		s.Evaluate, s.EvaluateFiner, s.RandomRestarts = count("coarse"), count("fine"), false
		r, err := Optimize(context.Background(), s)
		if err != nil || r.Simulations > s.Simulations ||
			strings.Contains(r.Stopped, "budget") != (r.Simulations == s.Simulations) {
			t.Fatalf("%d mappings of %d, stopped: %s: %v", r.Simulations, s.Simulations, r.Stopped, err)
		}
		spent := 0
		for _, yes := range done {
			if yes {
				spent++
			}
		}
		if spent != r.Simulations {
			t.Fatalf("%d mappings were simulated, %d counted", spent, r.Simulations)
		}
	})
}

// An interrupt in the final validation leaves all times as the search had them, and none on other
// seeds.
func TestInterruptedFinalValidation(t *testing.T) {
	evaluations := 3 // start, static and best, whatever else
	for after := range evaluations {
		s := loop(t)
		ctx, cancel := context.WithCancel(context.Background())
		evaluate := s.Evaluate
		s.Evaluate = OneAtATime(func(_ context.Context, m mapping.Mapping,
			first, count int) (*Evaluation, error) {
			if first >= secondRepeat {
				if after--; after < 0 {
					cancel()
				}
			}
			return evaluate(ctx, m, first, count)
		})
		r, err := Optimize(ctx, s)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if !r.Interrupted || r.Fresh || r.Start.Summary.ElapsedNS != r.Candidates[0].Summary.ElapsedNS ||
			r.Start.Summary.Repeats != s.Repeats || r.Best.Summary.Repeats != s.Repeats {
			t.Errorf("interrupted %v, fresh %v, start %+v, best %+v", r.Interrupted, r.Fresh, r.Start.Summary,
				r.Best.Summary)
		}
	}
}

// Programs without messages, or that end at once, cause no error and have no gain.
func TestNothingToSend(t *testing.T) {
	for _, pattern := range []string{"ring:1", "uniform:4,rounds=1,bytes=1", "barrier:1"} {
		s := problem(t, "torus:4", pattern, nil, nil).Settings
		s.RandomRestarts, s.EvaluateFiner = true, s.Evaluate
		r, err := Optimize(context.Background(), s)
		if err != nil || r.Gain.Proven() && r.Best.Summary.ElapsedNS == 0 ||
			r.Best.Summary.ElapsedNS > r.Start.Summary.ElapsedNS {
			t.Errorf("%s: %+v, %v", pattern, r, err)
		}
	}
}

// A deadline leaves enough time for the final validation, and at least half for the search.
func TestSearchTime(t *testing.T) {
	s := &search{Settings: Settings{Repeats: 6, ValidationRepeats: 6}}
	for _, c := range [][3]time.Duration{{100, 0, 80}, {100, 2, 80}, {100, 5, 65}, {100, 50, 50}, {0, 5, 0}} {
		if got := s.searchTime(c[0]*time.Second, c[1]*time.Second); got != c[2]*time.Second {
			t.Errorf("%d s left, %d s a mapping: %v", c[0], c[1], got)
		}
	}
}

// An error of Keep ends the search.
func TestKeepFails(t *testing.T) {
	s := loop(t)
	full, calls := errors.New("full"), 0
	s.OnBest = func(mapping.Mapping) error {
		if calls++; calls == 2 {
			return full
		}
		return nil
	}
	if r, err := Optimize(context.Background(), s); !errors.Is(err, full) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestSeedsOfRandomRestarts: no restart has the seed of a round.
func TestSeedsOfRandomRestarts(t *testing.T) {
	s := loop(t)
	s.Rounds, s.Patience = 30, 30
	s.Problem.Seed = math.MaxUint64 - 5
	seen := map[string]bool{}
	watch := func(name string) mapping.Strategy {
		return mapping.Strategy{Name: name, Map: func(_ context.Context,
			p *mapping.Problem) (mapping.Mapping, error) {
			if step := fmt.Sprint(name, p.Seed, p.LinkCost != nil, p.LinkFree != nil); p.LinkCost == nil &&
				p.LinkFree == nil && seen[step] {
				t.Errorf("seed %d of %s is used twice", p.Seed, name)
			} else {
				seen[step] = true
			}
			m, random := mapping.Identity(p.Ranks()), sampling.NewRandom(p.Seed)
			i, j := random.Below(8), random.Below(8)
			m[i], m[j] = m[j], m[i]
			return m, nil
		}}
	}
	s.Strategies = []mapping.Strategy{watch("a"), watch("b")}
	if _, err := Optimize(context.Background(), s); err != nil {
		t.Fatal(err)
	}
}

// What a random restart found is the result where it is proven faster than what feedback found, or
// where it alone is proven faster than static and start.
func TestTheBestOfAll(t *testing.T) {
	six := func(level float64) []float64 { return slices.Repeat([]float64{level}, 6) }
	noisy := []float64{80, 80, 80, 80, 80, 120}
	for _, c := range []struct {
		name                string
		found, restart      []float64
		best                int32
		selection, feedback bool // is a gain
	}{
		{"feedback wins", six(80), six(90), 2, true, true},
		{"restarts win", six(90), six(80), 3, true, false},
		{"restarts alone are proven", noisy, six(90), 3, true, false},
		{"feedback alone is proven", six(90), noisy, 2, false, false},
		{"nothing is proven", noisy, noisy, 1, false, false},
	} {
		times := map[int32][]float64{0: six(120), 1: six(100), 2: c.found, 3: c.restart}
		s := newSearch(Settings{Problem: leaves(t, 2), ValidationRepeats: 6, Evaluate: func(_ context.Context,
			m mapping.Mapping, _, count int) (*Evaluation, error) {
			return of(times[m[0]][:count]...), nil
		}})
		candidate := func(slot int32) *Candidate {
			return &Candidate{Mapping: mapping.Mapping{slot, 5}, Evaluation: of(times[slot]...)}
		}
		s.candidates, s.statics = []*Candidate{candidate(0), candidate(1), candidate(2)}, 2
		s.best = s.candidates[2]
		s.restarts = &search{candidates: []*Candidate{candidate(3)}}
		if err := s.validateFinally(context.Background()); err != nil {
			t.Fatal(err)
		}
		r := s.result
		if r.Best.Mapping[0] != c.best || r.ByRestarts.Proven() != c.selection ||
			r.OverRestarts.Proven() != c.feedback {
			t.Errorf("%s: mapping %d is the result; selection %+v, feedback %+v", c.name, r.Best.Mapping[0],
				r.ByRestarts, r.OverRestarts)
		}
	}
}
