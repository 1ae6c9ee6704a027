package feedback_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
	"remap/sampling"
)

// movesFew is a refiner whose mapping depends on all it is told, and that keeps MaxMoves.
func movesFew() *mapping.Strategy {
	shuffle := shuffler("movesFew")
	shuffle.Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		hash := p.Seed + uint64(p.MaxMoves)*7919
		for _, free := range p.LinkFree {
			hash = hash*31 + uint64(free*1000)
		}
		random := sampling.NewRandom(hash)
		m := p.StartMapping()
		most := len(m)
		if p.MaxMoves > 0 {
			most = p.MaxMoves
		}
		for range most / 2 { // an exchange moves two
			i, j := random.Below(uint32(len(m))), random.Below(uint32(len(m)))
			m[i], m[j] = m[j], m[i]
		}
		return m, nil
	}
	return &shuffle
}

// biased draws times at random, but the start is slow. Where it is fickle, fresh seeds give each
// mapping another time than the seeds of the search, so that what was chosen may turn out slow.
func biased(entries int, fickle bool) feedback.Evaluate {
	usual := randomTimes(entries, nil)
	return func(ctx context.Context, m mapping.Mapping, first, count int) (*feedback.Evaluation, error) {
		e, err := usual(ctx, m, first, count)
		for i := range e.Results {
			if fickle && first >= 1<<20 {
				e.Results[i].Makespan = score(append(mapping.Mapping{99}, m...), first+i)
			}
			if reflect.DeepEqual(m, mapping.Identity(len(m))) {
				e.Results[i].Makespan += 500
			}
		}
		return e, err
	}
}

// limitedSettings draw the time of a mapping, plus noise by repeat.
func limitedSettings(t testing.TB, limits []int) feedback.Settings {
	s := settings(t)
	s.Refine, s.Limits, s.Rounds = movesFew(), limits, 2
	s.Migrate = func(_ context.Context, from, to mapping.Mapping) (float64, error) {
		return 100 * float64(s.Problem.Moves(to)), nil
	}
	return s
}

// Whatever the times are: rows keep their limits, count their own moves, have a proven gain or
// none, and are never proven slower than a row above. The last row is the best. Iterations are the
// least that pay.
func TestLimitedRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := rapid.SampledFrom([][]int{{}, {1}, {2, 5}, {2, 4, 9}, {3, 16}}).Draw(rt, "limits")
		s := limitedSettings(t, limits)
		if rapid.IntRange(0, 3).Draw(rt, "judge") > 0 {
			s.Evaluate = biased(len(s.Traffic.Bytes), rapid.Bool().Draw(rt, "fickle"))
		}
		s.Problem.Seed = rapid.Uint64().Draw(rt, "seed")
		s.Problem.MaxMoves = rapid.SampledFrom([]int{0, 5}).Draw(rt, "most moves")
		if s.Problem.MaxMoves > 0 {
			s.Strategies = []mapping.Strategy{*movesFew()}
		}
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			rt.Fatal(err)
		}
		rows := 1
		for _, limit := range limits {
			if s.Problem.MaxMoves == 0 || limit < s.Problem.MaxMoves {
				rows++
			}
		}
		if len(r.MoveTable) != rows || !reflect.DeepEqual(r.MoveTable[rows-1].Mapping, r.Best.Mapping) ||
			r.MoveTable[rows-1].Limit != 0 {
			rt.Fatalf("%d rows, want %d", len(r.MoveTable), rows)
		}
		for i, row := range r.MoveTable {
			if moves := s.Problem.Moves(row.Mapping); moves != row.Moves || row.Limit > 0 &&
				moves > row.Limit {
				rt.Fatalf("row %d: %d ranks move, said %d, allowed %d", i, moves, row.Moves, row.Limit)
			}
			if row.Moves > 0 != row.Gain.Proven() || row.MigrationNS != 100*float64(row.Moves) {
				rt.Fatalf("row %d: %d ranks move for %+v in %g ns", i, row.Moves, row.Gain, row.MigrationNS)
			}
			if n := float64(row.Iterations()); row.Moves > 0 &&
				(n*row.SavedNS < row.MigrationNS || (n-1)*row.SavedNS >= row.MigrationNS) || row.Moves == 0 &&
				n != 0 {
				rt.Fatalf("row %d: %g iterations save %g ns each, the migration takes %g", i, n, row.SavedNS,
					row.MigrationNS)
			}
			for _, above := range r.MoveTable[:i] {
				saved := make([]float64, len(row.Evaluation.Results))
				for k, time := range above.Evaluation.Times() {
					saved[k] = row.Evaluation.Times()[k] - time
				}
				if _, low, _, _ := evalsim.MedianInterval(saved); low > 0 {
					rt.Fatalf("row %d is proven slower than one above it: %v", i, saved)
				}
			}
		}
	})
}

// A run that is continued from its journal, cut anywhere, has the same result.
func TestLimitedResumes(t *testing.T) {
	whole, err := feedback.Optimize(context.Background(), limitedSettings(t, []int{2, 5}))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	for cut := 3; ; cut += 5 {
		s := limitedSettings(t, []int{2, 5})
		ctx, cancel := context.WithCancel(context.Background())
		s.Progress = func(e feedback.Event) {
			if e.Simulations >= cut {
				cancel()
			}
		}
		if s.Journal, err = feedback.OpenJournal(path, "test"); err != nil {
			t.Fatal(err)
		}
		r, err := feedback.Optimize(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Journal.Close(); err != nil {
			t.Fatal(err)
		}
		cancel()
		if r.Interrupted {
			continue
		}
		if !reflect.DeepEqual(simple(r.MoveTable), simple(whole.MoveTable)) ||
			r.Simulations != whole.Simulations {
			t.Errorf("resumed: %+v\nat once: %+v", simple(r.MoveTable), simple(whole.MoveTable))
		}
		return
	}
}

// simple is what a row says.
func simple(rows []feedback.MoveRow) [][]any {
	var all [][]any
	for _, row := range rows {
		all = append(all, []any{row.Mapping, row.Limit, row.Moves, row.Gain, row.SavedNS, row.MigrationNS,
			row.Strategy, row.Model})
	}
	return all
}

// Limits that do not ascend or are not positive are refused, and limits without a strategy that
// refines.
func TestLimitsAreChecked(t *testing.T) {
	for _, limits := range [][]int{{0}, {-1}, {3, 3}, {5, 2}} {
		if _, err := feedback.Optimize(context.Background(), limitedSettings(t, limits)); err == nil {
			t.Errorf("limits %v are accepted", limits)
		}
	}
	s := limitedSettings(t, []int{2})
	s.Refine = nil
	if _, err := feedback.Optimize(context.Background(), s); err == nil {
		t.Error("limits without a refiner are accepted")
	}
}
