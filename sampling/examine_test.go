package sampling

import (
	"math"
	"os"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
)

// linkCodes are the codes of links first..first+count-1.
func linkCodes(first, count int32) []uint32 {
	codes := make([]uint32, count)
	for i := range codes {
		codes[i] = Code(first + int32(i))
	}
	return codes
}

// Tables of coins get the verdict Fair, at their level: all of 400 tests.
func TestCoinsAreFair(t *testing.T) {
	random := NewRandom(17)
	for round := range 100 {
		rows := 1 + int(random.Below(300))
		table := &bitTable{columns: 1 + int(random.Below(500))}
		table.words = (table.columns + 63) / 64
		table.bits = make([]uint64, rows*table.words)
		for i := range rows {
			for k := range table.columns {
				table.row(i)[k>>6] |= uint64(random.Uint32()>>31) << (k & 63)
			}
		}
		for _, test := range []HashTest{table.balance(make([]uint32, rows)), table.pairs(make([]uint32, rows))} {
			if test.Verdict != Fair {
				t.Errorf("round %d, %d rows: %+v", round, rows, test)
			}
		}
	}
}

// The counts and means of the bench are what a plain count over all pairs says.
func TestExamineCounts(t *testing.T) {
	random := NewRandom(4)
	ids := differing(70, func() uint32 { return random.Below(5000) })
	codes := linkCodes(3, 33)
	for _, h := range Hashes {
		report := Examine(h, ids, codes)
		squares, even, worst, pairs := 0., 0, 0., 0
		for i := range codes {
			for k := range i {
				agree := 0
				for _, id := range ids {
					agree += int(1 ^ h.Bit(id, codes[i]) ^ h.Bit(id, codes[k]))
				}
				z := float64(2*agree-len(ids)) / math.Sqrt(float64(len(ids)))
				squares, worst, pairs = squares+z*z, max(worst, math.Abs(z)), pairs+1
				if 2*agree == len(ids) {
					even++
				}
			}
		}
		got := report.CodePairs
		if got.Subjects != pairs || got.Trials != len(ids) || got.Even != even ||
			math.Abs(math.Abs(got.Z)-worst) > 1e-9 || math.Abs(got.Spread-squares/float64(pairs)) > 1e-9 {
			t.Errorf("%v: %+v, want %d pairs, %d even, worst %g, "+
				"spread %g", h, got, pairs, even, worst, squares/float64(pairs))
		}
		ones, id := 0, report.IDBalance.Worst[0]
		for _, code := range codes {
			ones += int(h.Bit(id, code))
		}
		if share := float64(ones) / float64(len(codes)); share != report.IDBalance.Share {
			t.Errorf("%v: identity %d has a share of ones of %g, reported %g", h, id, share, report.IDBalance.Share)
		}
	}
}

// Exchanging identities and codes exchanges the findings, for hashes that are
// symmetric.
func TestExamineSymmetric(t *testing.T) {
	random := NewRandom(8)
	a, b := differing(150, random.Uint32), differing(90, random.Uint32)
	for _, h := range []Hash{Field, Parity, SingleMult, Hmult, CRC} {
		there, back := Examine(h, a, b), Examine(h, b, a)
		if there.CodePairs != back.IDPairs || there.IDBalance != back.CodeBalance {
			t.Errorf("%v: %+v and %+v", h, there, back)
		}
	}
}

// Parity is broken for all identities, as section 5.4 says: all codes are odd,
// so any two agree always, and two identities always or never.
func TestParityFound(t *testing.T) {
	for _, c := range HashCases(256, 512, 1) {
		r := Examine(Parity, c.IDs, c.Codes)
		if r.Verdict() != Skewed || r.CodePairs.Verdict != Skewed || r.IDPairs.Verdict != Skewed {
			t.Errorf("%s: %+v", c.IDName, r)
		}
		if c.CodeName != "1 to 64" && (r.CodePairs.Share != 1 || r.CodePairs.Beyond != r.CodePairs.Subjects) {
			t.Errorf("%s: codes agree on %g", c.IDName, r.CodePairs.Share)
		}
	}
}

// SingleMult favours 0 for small identities, as section 5.4 says; the prime of
// Hmult mends that, and DoubleMult needs smaller ones.
func TestSmallIdentitiesFound(t *testing.T) {
	ids, codes := consecutive(1, 128), linkCodes(0, 2048)
	single := Examine(SingleMult, ids, codes)
	if single.IDBalance.Verdict != Skewed || single.IDBalance.Share != 0 ||
		single.CodeBalance.Verdict != Skewed {
		t.Errorf("single multiplication: %+v", single)
	}
	for _, h := range []Hash{Field, Hmult, CRC} {
		if r := Examine(h, ids, codes); r.Verdict() == Skewed {
			t.Errorf("%v: %+v", h, r)
		}
	}
	double := Examine(DoubleMult, ids, codes)
	if double.IDBalance.Spread > single.IDBalance.Spread/10 {
		t.Errorf("spread with double multiplication %g, with "+
			"single %g", double.IDBalance.Spread, single.IDBalance.Spread)
	}
}

// flawed reports whether the worst pair is one of a number and its triple.
func flawed(test *HashTest) bool {
	a, b := min(test.Worst[0], test.Worst[1]), max(test.Worst[0], test.Worst[1])
	return test.Verdict != Fair && b == 3*a && math.Abs(test.Share-2./3) < 0.02
}

// The bench finds the flaw of Hmult by itself, between links and between
// identities that are small, and that codes that are not small hide it between
// links. Field has none.
func TestHmultFlawFound(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	random := NewRandom(2)
	many, small := differing(1<<15, random.Uint32), consecutive(1, 20)
	links := Examine(Hmult, many, small)
	if !flawed(&links.CodePairs) || links.CodePairs.Verdict != Skewed {
		t.Errorf("small codes: %+v", links.CodePairs)
	}
	ids := Examine(Hmult, small, many)
	if !flawed(&ids.IDPairs) || ids.IDPairs.Verdict != Skewed {
		t.Errorf("small identities: %+v", ids.IDPairs)
	}
	if r := Examine(Field, many, small); r.CodePairs.Verdict != Fair || r.CodeBalance.Verdict != Fair {
		t.Errorf("field with small codes: %+v", r)
	}
	hidden := Examine(Hmult, many, linkCodes(1, 20))
	if hidden.CodePairs.Verdict != Fair || hidden.CodeBalance.Verdict != Fair {
		t.Errorf("codes of links 1 to 20: %+v", hidden.CodePairs)
	}
	two := Examine(Hmult, []uint32{2, 6}, differing(1<<16, random.Uint32))
	if two.IDPairs.Beyond != 1 || math.Abs(two.IDPairs.Share-2./3) > 0.01 {
		t.Errorf("identities 2 and 6: %+v", two.IDPairs)
	}
	ports := []uint32{Code(2), Code(6)}
	if r := Examine(Hmult, differing(1<<16, random.Uint32), ports); r.CodePairs.Verdict != Fair {
		t.Errorf("ports 2 and 6: %+v", r.CodePairs)
	}
}

// Field is never skewed. Of identities without pattern its codes cannot be told
// from coins.
func TestFieldClean(t *testing.T) {
	tier.Long(t, "all links of large networks: half a second")
	t.Parallel()
	count, links, seeds := 512, 2048, []uint64{1, 2, 3}[:tier.Cases(1, 3, 3)]
	if tier.IsLong() {
		count, links, seeds = 2048, 18432, seeds[:1]
	}
	for _, seed := range seeds {
		for i, c := range HashCases(count, links, seed) {
			r := Examine(Field, c.IDs, c.Codes)
			if r.Verdict() == Skewed {
				t.Errorf("%s: %+v", c.IDName, r)
			}
			random := i < 2 || c.CodeName == "1 to 64"
			if random && (r.CodeBalance.Verdict != Fair || r.CodePairs.Verdict != Fair) {
				t.Errorf("%s: %+v %+v", c.IDName, r.CodeBalance, r.CodePairs)
			}
		}
	}
}

// On a complete block of identities a linear hash is too even, and the bench
// says so: each share is 1/2, or 0 or 1 if no bit that differs is in a mask.
func TestFieldTooEven(t *testing.T) {
	const bits = 10
	r := Examine(Field, consecutive(7<<bits, 1<<bits), linkCodes(5<<bits, 1<<bits))
	if test := r.CodePairs; test.Verdict == Skewed || test.Even+test.Beyond != test.Subjects {
		t.Errorf("%+v", test)
	}
	// 256 links in a row have different low eight bits of masks.
	r = Examine(Field, consecutive(7<<bits, 256), linkCodes(5<<bits, 256))
	if test := r.CodePairs; test.Verdict != TooEven || test.Even != test.Subjects {
		t.Errorf("256 identities and links: %+v", test)
	}
	// 512 links have each eight bits twice: 256 of the pairs agree always or never.
	r = Examine(Field, consecutive(7<<bits, 256), linkCodes(5<<bits, 512))
	if test := r.CodePairs; test.Verdict != Lumpy || test.Beyond != 256 || test.Even != test.Subjects-256 ||
		math.Abs(test.Z) != 16 {
		t.Errorf("256 identities, 512 links: %+v", test)
	}
}

// Betting on skew wins nothing against lumps that are as rare as they are large,
// and much against the same lumps three times as often.
func TestBetting(t *testing.T) {
	const rows, trials, runs = 20000, 1000, 200
	for _, times := range []int{1, 3} {
		won := 0
		for run := range runs {
			random, bench := NewRandom(uint64(run)), newHashBench(rows, trials)
			for range rows {
				count := trials / 2
				if int(random.Below(trials)) < times {
					count = 0
				}
				bench.take(0, 0, count)
			}
			test := bench.result(rows, rows)
			if test.Verdict == Skewed {
				won++
			} else if test.Verdict != Lumpy {
				t.Fatalf("%+v", test)
			}
		}
		if times == 1 && won > 0 || times == 3 && won < runs/2 {
			t.Errorf("lumps %d times as often as they may be: skew in %d of %d runs", times, won, runs)
		}
	}
}

func TestHashCasesDiffer(t *testing.T) {
	for _, c := range HashCases(1000, 300, 5) {
		for _, list := range [][]uint32{c.IDs, c.Codes} {
			seen := map[uint32]bool{}
			for _, x := range list {
				if seen[x] {
					t.Errorf("%s: %d twice", c.IDName, x)
				}
				seen[x] = true
			}
		}
	}
}

// The table of all hashes, to be read with -v.
func TestHashTable(t *testing.T) {
	ids, links := 512, 512
	if tier.IsLong() {
		ids, links = 1024, 1024
	}
	var text strings.Builder
	cases := HashCases(ids, links, 1)
	if err := WriteHashTable(&text, Hashes, cases); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + text.String())
	if lines := strings.Count(text.String(), "\n"); lines != 2+len(Hashes)*len(cases) {
		t.Errorf("%d lines", lines)
	}
	if err := WriteHashTable(full{}, Hashes, cases[:1]); err == nil {
		t.Error("a writer's error is lost")
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }
