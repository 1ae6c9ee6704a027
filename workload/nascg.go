package workload

import (
	"math/bits"
	"strconv"
)

// nasClass is a problem size of the NAS Parallel Benchmarks' CG.
type nasClass struct {
	name string
	rows int64 // of the matrix
	most int   // ranks for which it is the default
}

var nasClasses = []nasClass{{"A", 14000, 16}, {"B", 75000, 32}, {"C", 150000, 512}, {"D", 1500000, maxRanks}}

// nasCG is what one rank of the CG kernel needs to know. Ranks form a grid of
// rows and columns, columns = rows or 2 rows, the columns fastest:
//
//	rows x columns of 8 ranks     partners in the row     transpose
//	    0  1  2  3                1-0 3-2 (distance 1),   1 <-> 1, 2 <-> 4,
//	    4  5  6  7                2-0 3-1 (distance 2)    3 <-> 5, ...
type nasCG struct {
	rows, columns int
	steps         int   // log2 of columns
	matrixRows    int64 // of the benchmark's matrix
	piece         int64 // bytes of every piece of the vector, if it is not by matrixRows
}

// buildNASCG is the communication of the CG kernel of the NAS Parallel
// Benchmarks (Bailey et al. 1991; as in cg.f of NPB 3.4, subroutines
// setup_proc_info, setup_submatrix_info and conj_grad), for a power of two of
// ranks. A round is one of the 25 iterations of conj_grad: the product of matrix
// and vector is summed over a row of ranks in log2(columns) exchanges (phase
// "reduce"), sent to the transpose partner (phase "transpose"), and two scalars
// are summed over the row (phase "sum"). Every exchange is a receive posted
// ahead, a blocking send and a wait, with the code's tags. What comes before and
// after the iterations (one more scalar, the residual) is left out.
//
// rows= is the size of the matrix, class=A..D the benchmark's own (14000, 75000,
// 150000, 1500000; default by the number of ranks), bytes= instead of both
// the size of every piece of the vector that is sent.
func buildNASCG(s *spec, maxOps int64) (*Program, error) {
	ranks, rounds, compute := s.ranks(), s.rounds(maxOps), s.computeNanoseconds()
	if ranks&(ranks-1) != 0 {
		s.fail(s.column, "64, 128 and 256 are", "%d ranks are no power of two", ranks)
		ranks = 1
	}
	g := newNASCG(ranks)
	var class string
	for _, c := range nasClasses {
		if class == "" && ranks <= c.most {
			class = c.name
		}
	}
	if s.take("class") != nil {
		class = s.choice("class", "A", "B", "C", "D")
	}
	for _, c := range nasClasses {
		if c.name == class {
			g.matrixRows = c.rows
		}
	}
	g.matrixRows = s.int64("rows", g.matrixRows, 1, maxTotal/8)
	g.piece = -1
	largest := (g.matrixRows/int64(g.rows) + 1) * nasDouble
	if s.take("bytes") != nil {
		g.piece = s.messageBytes()
		largest = max(g.piece, nasDouble)
	}
	messages := int64(3*g.steps + min(g.steps, 1))
	l := load{ranks: ranks, rounds: rounds, messages: messages, others: 2 * messages, bytes: largest,
		compute: compute}
	s.room(maxOps, l)
	if err := s.finish(); err != nil {
		return nil, err
	}
	b := NewBuilder(ranks, ranks*int(l.operations()*rounds))
	for me := range ranks {
		for range rounds {
			if compute > 0 {
				b.Compute(compute)
			}
			g.iteration(b, me)
		}
		b.EndRank()
	}
	b.program.Grid = []int{g.columns, g.rows}
	return b.Program()
}

const nasDouble = 8 // bytes

// newNASCG is setup_proc_info: columns = rows for an even power of two, else
// twice as many.
func newNASCG(ranks int) *nasCG {
	log := bits.Len(uint(ranks)) - 1
	g := &nasCG{rows: 1 << (log / 2), steps: log - log/2}
	g.columns = 1 << g.steps
	return g
}

// sumPartner is reduce_exch_proc(step), step from 1: the first is half a row
// away, the last the neighbour.
func (g *nasCG) sumPartner(me, step int) int { return me ^ g.columns>>step }

// transposePartner is exch_proc; a rank on the diagonal is its own.
func (g *nasCG) transposePartner(me int) int {
	if g.columns == g.rows {
		return me%g.rows*g.rows + me/g.rows
	}
	return 2*(me/2%g.rows*g.rows+me/2/g.rows) + me%2
}

// pieces are the lengths of the vector's pieces of a rank in bytes: own is
// send_len, the part it has of its row's block, and other the rest of the block,
// which goes to its neighbour (own again where columns = rows).
func (g *nasCG) pieces(me int) (own, other int64) {
	if g.piece >= 0 {
		return g.piece, g.piece
	}
	block := g.matrixRows / int64(g.rows)
	if int64(me/g.columns) < g.matrixRows%int64(g.rows) {
		block++
	}
	if g.columns == g.rows {
		return block * nasDouble, block * nasDouble
	}
	own = block / 2
	if me%2 == 0 {
		own = (block + 1) / 2
	}
	return own * nasDouble, (block - own) * nasDouble
}

// iteration appends one iteration of the loop in conj_grad.
func (g *nasCG) iteration(b *Builder, me int) {
	if g.steps == 0 {
		return
	}
	own, other := g.pieces(me)
	b.Phase("reduce")
	for step := g.steps; step >= 1; step-- {
		b.CallSite("conj_grad: sum of q, step " + strconv.Itoa(step))
		bytes := own
		if step == g.steps {
			bytes = other
		}
		g.swap(b, g.sumPartner(me, step), bytes, own, step)
	}
	b.Phase("transpose")
	b.CallSite("conj_grad: transpose of q")
	partner := g.transposePartner(me)
	theirs, _ := g.pieces(partner)
	g.swap(b, partner, own, theirs, 1)
	b.Phase("sum")
	for _, scalar := range []string{"d", "rho"} {
		b.CallSite("conj_grad: sum of " + scalar)
		for step := 1; step <= g.steps; step++ {
			g.swap(b, g.sumPartner(me, step), nasDouble, nasDouble, step)
		}
	}
}

// swap is one exchange as the code has it: irecv, send, wait.
func (g *nasCG) swap(b *Builder, peer int, send, receive int64, tag int) {
	request := b.Ireceive(int32(peer), receive, uint16(tag))
	b.Send(int32(peer), send, uint16(tag))
	b.Wait(request)
}
