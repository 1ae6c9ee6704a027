package sampling

import (
	"math"
	"math/bits"
)

// Verdict is how a set of hashed bits compares with throws of fair coins.
type Verdict uint8

const (
	// Fair bits cannot be distinguished from coins.
	Fair Verdict = iota
	// TooEven: nearer to half than coins. That does no harm. A linear hash over a
	// complete block of identities gives exactly half.
	TooEven
	// Lumpy: some are further from half than coins ever are, but so few that the
	// mean square stays near that of coins, and with it the variance of
	// estimates. A linear hash gives exactly half or, all the more rarely, all.
	Lumpy
	// Skewed: the mean square is so large that estimates vary more than their
	// formulas say.
	Skewed
)

func (v Verdict) String() string {
	return [...]string{"fair", "too even", "lumpy", "skewed"}[v]
}

// Significance is the probability at most that Examine gives coins a verdict
// other than Fair.
const Significance = 1e-3

const (
	familyCount = 12 // 4 tests, each of the worst, of too much and of too little spread
)

// surprise is -ln of the probability at which one family of tests gives coins
// another verdict than Fair.
var surprise = math.Log(familyCount / Significance)

// HashTest is one of four comparisons with coins. Each of its subjects (a code,
// an identity, or a pair of them) has a share of bits that should be near 1/2: of
// bits that are 1, or on which a pair agrees. A share of n bits is
// z = (2 share - 1) sqrt(n) deviations from 1/2.
type HashTest struct {
	// Subjects: how many codes, identities or pairs.
	Subjects int
	// Trials: bits of each.
	Trials int
	// Worst: the subject furthest from 1/2; of a pair both.
	Worst [2]uint32
	// Share: its share.
	Share float64
	// Z: its z.
	Z float64
	// Limit: |Z| that no coins reach (by Hoeffding 1963, for all subjects together).
	Limit float64
	// Beyond: subjects with a greater |z|.
	Beyond int
	// Even: subjects with exactly 1/2.
	Even int
	// Spread: mean of z^2: 1 for coins, 0 if all have 1/2.
	Spread float64
	// Least: a Spread below is too small for coins.
	Least float64
	// Most: a Spread above is too great for coins.
	Most float64
	// Skew: ln of the odds against a mean square of at most 1, however lumpy.
	Skew    float64
	Verdict Verdict
}

// HashReport is what Examine found.
type HashReport struct {
	Hash Hash
	// CodeBalance: ones of each code over all identities.
	CodeBalance HashTest
	// IDBalance: ones of each identity over all codes.
	IDBalance HashTest
	// CodePairs: identities on which two codes agree.
	CodePairs HashTest
	// IDPairs: codes on which two identities agree.
	IDPairs HashTest
}

// Verdict is the worst of the four.
func (r *HashReport) Verdict() Verdict {
	return max(r.CodeBalance.Verdict, r.IDBalance.Verdict, r.CodePairs.Verdict, r.IDPairs.Verdict)
}

// Examine hashes each identity with each code and compares the bits with throws
// of fair coins: are they balanced, and independent in pairs, as section 5.4 of
// the thesis asks (Taffet 2018)? The identities must differ, and so must the codes.
//
// The worst subject is tested by Hoeffding's inequality, the spread by bounds for
// sums of squares (Laurent and Massart 2000, lemma 1; Maurer 2003), each at its
// part of Significance; these hold for any number of bits. Whether a spread above
// 1 is lumps or skew is told by betting on it (Waudby-Smith and Ramdas 2024), of
// pairs as if as many were independent as there are codes or identities. All
// pairs are tested if that costs little. Otherwise they are the nearest neighbours
// in the list and a fixed choice of others; only the latter count in Spread.
func Examine(h Hash, ids, codes []uint32) *HashReport {
	operands := codes
	if h == Field {
		operands = make([]uint32, len(codes))
		for i, c := range codes {
			operands[i] = FieldMask(c)
		}
	}
	r := &HashReport{Hash: h}
	table := hashBits(h, ids, operands, true)
	r.CodeBalance, r.CodePairs = table.balance(codes), table.pairs(codes)
	table = hashBits(h, ids, operands, false)
	r.IDBalance, r.IDPairs = table.balance(ids), table.pairs(ids)
	return r
}

// bitTable is a row of bits for each subject.
type bitTable struct {
	columns, words int
	bits           []uint64 // rows x words; bits beyond the columns are 0
}

func (t *bitTable) row(i int) []uint64 { return t.bits[i*t.words : (i+1)*t.words] }

// hashBits is a row for each identity or, if byCode, for each code. Under Field
// codes are masks.
func hashBits(h Hash, ids, codes []uint32, byCode bool) *bitTable {
	rows, columns := ids, codes
	if byCode {
		rows, columns = codes, ids
	}
	t := &bitTable{columns: len(columns), words: (len(columns) + 63) / 64}
	t.bits = make([]uint64, len(rows)*t.words)
	for i, r := range rows {
		row := t.row(i)
		switch {
		case h == Field:
			for k, c := range columns {
				row[k>>6] |= uint64(parity(r&c)) << (k & 63)
			}
		case byCode:
			for k, c := range columns {
				row[k>>6] |= uint64(h.Bit(c, r)) << (k & 63)
			}
		default:
			for k, c := range columns {
				row[k>>6] |= uint64(h.Bit(r, c)) << (k & 63)
			}
		}
	}
	return t
}

// balance counts the ones of each row.
func (t *bitTable) balance(names []uint32) HashTest {
	rows := len(names)
	bench := newHashBench(rows, t.columns)
	for i, name := range names {
		ones := 0
		for _, word := range t.row(i) {
			ones += bits.OnesCount64(word)
		}
		bench.take(name, name, ones)
	}
	return bench.result(rows, rows)
}

// pairs counts what pairs of rows agree on. Spread is over pairs a fixed
// distance apart on circles on which the rows stand in no order. Of coins, at
// least half as many of the agreements at one distance are independent as there
// are rows, whichever are left out to break the circle; the mean over several
// distances has no heavier tails (Hoeffding 1963, section 5).
func (t *bitTable) pairs(names []uint32) HashTest {
	rows := len(names)
	apart := distances(rows, min(examineWords/max(1, t.words), examinePairs)/max(1, rows))
	near := min(nearest, rows/2)
	if len(apart) == rows/2 {
		near = 0
	}
	subjects := 0
	for _, distance := range apart {
		subjects += circle(rows, distance)
	}
	bench := newHashBench(subjects+near*rows, t.columns)
	order := shuffled(rows)
	for _, distance := range apart {
		for i := range circle(rows, distance) {
			a, b := order[i], order[(i+distance)%rows]
			bench.take(names[a], names[b], t.agreements(a, b))
		}
	}
	for distance := 1; distance <= near; distance++ {
		for i := range circle(rows, distance) {
			k := (i + distance) % rows
			bench.extreme(names[i], names[k], t.agreements(i, k))
		}
	}
	return bench.result(rows/2, rows)
}

// circle is the number of pairs a distance of 1..rows/2 apart.
func circle(rows, distance int) int {
	if 2*distance == rows {
		return distance
	}
	return rows
}

// agreements is the number of columns in which two rows have the same bit.
func (t *bitTable) agreements(a, b int) int {
	other, differ := t.row(b), 0
	for w, word := range t.row(a) {
		differ += bits.OnesCount64(word ^ other[w])
	}
	return t.columns - differ
}

// distances are at most `most`, and at least one, of 1..rows/2.
func distances(rows, most int) []int {
	all := rows / 2
	chosen := make([]int, min(all, max(1, most)))
	for i := range chosen {
		chosen[i] = 1 + i*all/len(chosen)
	}
	return chosen
}

// shuffled is 0..n-1 in an order of no meaning, always the same.
func shuffled(n int) []int {
	order, random := make([]int, n), NewRandom(uint64(n))
	for i := range order {
		k := int(random.Below(uint32(i) + 1))
		order[i], order[k] = order[k], i
	}
	return order
}

// hashBench is a HashTest in the making.
type hashBench struct {
	HashTest
	counts   []int32 // length Trials+1: subjects with so many bits that count in Spread
	greatest int     // |2 bits - Trials| of the worst
}

func newHashBench(subjects, trials int) *hashBench {
	limit := math.Sqrt(2 * (surprise + math.Log(2*float64(max(1, subjects)))))
	return &hashBench{
		HashTest: HashTest{Subjects: subjects, Trials: trials, Share: 0.5, Limit: limit},
		counts:   make([]int32, trials+1),
		greatest: -1,
	}
}

// take counts a subject of which so many bits are 1, or agree.
func (b *hashBench) take(first, second uint32, count int) {
	b.counts[count]++
	b.extreme(first, second, count)
}

// extreme is take for a subject that does not count in Spread.
func (b *hashBench) extreme(first, second uint32, count int) {
	off := max(2*count-b.Trials, b.Trials-2*count)
	if off == 0 {
		b.Even++
	}
	if float64(off)*float64(off) > b.Limit*b.Limit*float64(b.Trials) {
		b.Beyond++
	}
	if off > b.greatest {
		b.greatest, b.Worst = off, [2]uint32{first, second}
		b.Share = float64(count) / float64(max(1, b.Trials))
	}
}

// result ends the test. A number of subjects are independent for coins, and as
// many as there are bets for a hash.
func (b *hashBench) result(independent, bets int) HashTest {
	t := &b.HashTest
	counted := 0
	for count, subjects := range b.counts {
		counted += int(subjects)
		t.Spread += float64(subjects) * b.square(count)
	}
	if counted == 0 || t.Trials == 0 {
		return *t
	}
	k := float64(independent)
	t.Z = (2*t.Share - 1) * math.Sqrt(float64(t.Trials))
	t.Spread /= float64(counted)
	t.Least = max(0, 1-math.Sqrt(6*surprise/k))
	t.Most = 1 + 2*math.Sqrt(surprise/k) + 2*surprise/k
	t.Skew = b.bet(float64(min(bets, counted)) / float64(counted))
	switch {
	case t.Spread > t.Most && t.Skew > surprise:
		t.Verdict = Skewed
	case t.Beyond > 0 || t.Spread > t.Most:
		t.Verdict = Lumpy
	case t.Spread < t.Least:
		t.Verdict = TooEven
	}
	return *t
}

// square is z^2 of a subject with so many bits.
func (b *hashBench) square(count int) float64 {
	off := float64(2*count - b.Trials)
	return off * off / float64(max(1, b.Trials))
}

// bet is ln of what is won by the best of several stakes, each a share of one's
// money that is put on every subject's z^2 being above 1, for so many of the
// subjects. If its mean is at most 1 whatever the others are, the expectation of
// winnings is at most 1, so they exceed 1/p with probability at most p.
func (b *hashBench) bet(share float64) float64 {
	best := math.Inf(-1)
	for i := range stakes {
		stake, won := math.Ldexp(1, -1-i), 0.
		for count, subjects := range b.counts {
			if subjects > 0 {
				won += float64(subjects) * math.Log1p(stake*(b.square(count)-1))
			}
		}
		best = max(best, won*share)
	}
	return best - math.Log(stakes)
}
