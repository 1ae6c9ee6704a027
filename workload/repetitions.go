package workload

// repetitions is the largest number R such that every rank does the same R
// times, one after the other: the rounds of a pattern whose rounds are alike.
// It is 1 where that is not so, as in patterns that draw partners for each round.
// What every rank sends and receives in the first k repetitions matches as
// all R of them do. O(operations).
func (p *Program) repetitions() int64 {
	common := int64(0)
	for r := range int32(p.Ranks()) {
		if common = gcd(common, p.rankRepetitions(r)); common == 1 {
			return 1
		}
	}
	return max(1, common)
}

// comparedOp is an operation as it is compared: a Wait names its request from the
// latest one back, which is the same in every repetition, and calls of collective
// operations, whose tags count up, have one tag.
type comparedOp struct {
	Op
	site uint16
}

// rankRepetitions is that of one rank; 0 for a rank without operations. The
// shortest period of a sequence is its length less that of its longest border,
// a beginning that is its end too (Knuth, Morris and Pratt 1977); it counts where
// it divides the length.
func (p *Program) rankRepetitions(r int32) int64 {
	ops := p.RankOps(r)
	n := len(ops)
	if n == 0 {
		return 0
	}
	steps := make([]comparedOp, n)
	requests := int64(0)
	for i, op := range ops {
		if op.Kind == Wait {
			op.Bytes = requests - op.Bytes
		}
		if op.Kind.IsRequest() {
			requests++
		}
		if op.Tag >= CollectiveTags && op.Tag < AnyTag {
			op.Tag = CollectiveTags
		}
		steps[i].Op = op
		if p.Sites != nil {
			steps[i].site = p.Sites[int(p.Offsets[r])+i]
		}
	}
	border := make([]int32, n+1)
	border[0] = -1
	for i := range n {
		k := border[i]
		for k >= 0 && steps[k] != steps[i] {
			k = border[k]
		}
		border[i+1] = k + 1
	}
	if period := n - int(border[n]); n%period == 0 {
		return int64(n / period)
	}
	return 1
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
