package workload

import (
	"fmt"
	"slices"
	"strings"

	"remap/internal/nearest"
)

// Auto as an algorithm lets number of ranks and size decide, as MPICH does.
const Auto = "auto"

// CollectiveTags is the lowest tag of messages of collective operations. Other
// messages should have lower ones. A receive that takes any tag takes these too.
const CollectiveTags = 1 << 15

// Collective is a collective operation of a group of ranks, to be spelled out
// in messages as message-passing libraries do. Algorithms are those of Thakur,
// Rabenseifner and Gropp, "Optimization of Collective Communication Operations
// in MPICH" (2005), their names mostly those of Open MPI's module tuned.
type Collective struct {
	// Operation: one of Operations.
	Operation string
	// Algorithm: one of Algorithms(Operation), or Auto, which "" stands for too.
	Algorithm string
	// Members: the ranks that take part, in the order of their numbers in the group; nil = all.
	Members []int32
	// Root: the rank that sends or receives all, for operations that have one.
	Root int32

	// Bytes, from 0 to 2^52 among all members, is what a library's caller gives as
	// the size: the whole vector of bcast, reduce, allreduce and reduce-scatter; the block
	// of one rank (one pair for alltoall) of allgather, gather, scatter and
	// alltoall; the size of a message of barrier, usually 0.
	Bytes int64

	// ReductionRate is how many bytes a rank combines in a second; 0 = in no
	// time. Each combination is a Compute after its message has come; the whole
	// vector may take up to 2^52 ns.
	ReductionRate float64
}

// operation is a row of the table of collective operations.
type operation struct {
	name     string
	rooted   bool
	blocks   bool // Bytes is the size of a block, not of the whole
	reduces  bool // combines
	auto     func(size int, bytes int64) string
	variants []variant
}

// variant is one algorithm of an operation. Its data is cut into parts: number
// i is a byte longer than the last one if i is below the remainder. run appends
// what one member does; members are numbered relative to the root, which is 0.
type variant struct {
	name  string
	alias string // another name, or ""
	parts func(size int) int
	run   func(c *call)
}

func onePart(int) int       { return 1 }
func partAMember(n int) int { return n }

var operations = []operation{
	{name: "bcast", rooted: true, auto: autoBroadcast, variants: []variant{
		{"binomial", "", onePart, broadcastBinomial},
		{"linear", "naive", onePart, broadcastLinear},
		{"scatter-ring", "van-de-geijn", partAMember, broadcastScatterRing},
		{"scatter-recursive-doubling", "", partAMember, broadcastScatterDoubling}}},
	{name: "reduce", rooted: true, reduces: true, auto: autoReduce, variants: []variant{
		{"binomial", "", onePart, reduceBinomial},
		{"linear", "naive", onePart, reduceLinear},
		{"rabenseifner", "reduce-scatter-gather", powerOfTwo, reduceRabenseifner}}},
	{name: "allreduce", reduces: true, auto: autoAllreduce, variants: []variant{
		{"recursive-doubling", "", onePart, allreduceDoubling},
		{"ring", "", partAMember, allreduceRing},
		{"rabenseifner", "reduce-scatter-allgather", powerOfTwo, allreduceRabenseifner},
		{"reduce-bcast", "", onePart, allreduceTrees},
		{"linear", "naive", onePart, allreduceLinear}}},
	{name: "allgather", blocks: true, auto: autoAllgather, variants: []variant{
		{"recursive-doubling", "", partAMember, allgatherDoubling},
		{"bruck", "", partAMember, allgatherBruck},
		{"ring", "", partAMember, allgatherRing},
		{"neighbor-exchange", "", partAMember, allgatherNeighbors}}},
	{name: "alltoall", blocks: true, auto: autoAllToAll, variants: []variant{
		{"bruck", "", partAMember, allToAllBruck},
		{"pairwise", "", partAMember, allToAllPairwise},
		{"linear", "", partAMember, allToAllLinear},
		{"scattered", "", partAMember, allToAllScattered}}},
	{name: "gather", rooted: true, blocks: true, auto: autoTree, variants: []variant{
		{"binomial", "", partAMember, gatherBinomial},
		{"linear", "naive", partAMember, gatherLinear}}},
	{name: "scatter", rooted: true, blocks: true, auto: autoTree, variants: []variant{
		{"binomial", "", partAMember, scatterBinomial},
		{"linear", "naive", partAMember, scatterLinear}}},
	{name: "reduce-scatter", reduces: true, auto: autoReduceScatter, variants: []variant{
		{"recursive-halving", "", partAMember, reduceScatterHalving},
		{"pairwise", "", partAMember, reduceScatterPairwise},
		{"ring", "", partAMember, reduceScatterRing}}},
	{name: "barrier", auto: autoBarrier, variants: []variant{
		{"dissemination", "bruck", onePart, barrierDissemination},
		{"recursive-doubling", "", onePart, barrierDoubling}}},
}

// Operations lists the collective operations in a fixed order.
func Operations() []string {
	names := make([]string, len(operations))
	for i, o := range operations {
		names[i] = o.name
	}
	return names
}

// Algorithms lists the algorithms of a collective operation, without Auto, in
// a fixed order; nil if there is no such operation.
func Algorithms(operation string) []string {
	if o := findOperation(operation); o != nil {
		return o.algorithms()
	}
	return nil
}

func findOperation(name string) *operation {
	for i := range operations {
		if operations[i].name == name {
			return &operations[i]
		}
	}
	return nil
}

func (o *operation) algorithms() []string {
	names := make([]string, len(o.variants))
	for i, v := range o.variants {
		names[i] = v.name
	}
	return names
}

// algorithmWords are all names that algorithm= takes, aliases last.
func algorithmWords(operation string) []string {
	o := findOperation(operation)
	words := append([]string{Auto}, o.algorithms()...)
	for _, v := range o.variants {
		if v.alias != "" {
			words = append(words, v.alias)
		}
	}
	return words
}

func (o *operation) variant(name string) *variant {
	for i := range o.variants {
		if v := &o.variants[i]; v.name == name || v.alias == name && name != "" {
			return v
		}
	}
	return nil
}

// Plan is a collective operation made ready, for any number of calls.
type Plan struct {
	variant
	operation *operation
	members   []int32         // nil = rank i is member i
	position  map[int32]int32 // of each rank in members; nil like these
	size      int             // of the group
	root      int             // position of the root; 0 for operations without
	cut       int             // parts that total is cut into, at least 1
	total     int64           // bytes of all parts
	rate      float64         // bytes combined in a nanosecond; 0 = free
}

// Plan checks the collective for a program of so many ranks and chooses its
// algorithm. O(members).
func (c Collective) Plan(ranks int) (*Plan, error) {
	o := findOperation(c.Operation)
	if o == nil {
		return nil, fmt.Errorf("unknown collective operation %q%s", c.Operation,
			didYouMean(c.Operation, Operations()))
	}
	p := &Plan{operation: o, size: ranks, total: c.Bytes}
	if err := p.join(c.Members, ranks); err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	if p.size == 0 {
		return nil, fmt.Errorf("%s: nobody takes part", o.name)
	}
	if o.rooted {
		if p.root = p.positionOf(c.Root); p.root < 0 {
			return nil, fmt.Errorf("%s: root %d is not among the members", o.name, c.Root)
		}
	}
	if c.Bytes < 0 || c.Bytes > maxTotal/int64(p.size) {
		return nil, fmt.Errorf("%s: size is %d bytes, must be from 0 to %d among %d ranks", o.name, c.Bytes,
			maxTotal/p.size, p.size)
	}
	if !(c.ReductionRate >= 0) {
		return nil, fmt.Errorf("%s: reduction rate is %g bytes a second, must not be negative", o.name,
			c.ReductionRate)
	}
	if o.blocks {
		p.total *= int64(p.size)
	}
	if o.reduces {
		p.rate = c.ReductionRate / 1e9
	}
	if p.rate > 0 && float64(p.total)/p.rate > maxTotal {
		return nil, fmt.Errorf("%s: combining %d bytes at %g bytes a second takes more than %d ns", o.name,
			p.total, c.ReductionRate, int64(maxTotal))
	}
	name := c.Algorithm
	if name == "" || name == Auto {
		name = o.auto(p.size, c.Bytes)
	}
	v := o.variant(name)
	if v == nil {
		return nil, fmt.Errorf("%s: unknown algorithm %q%s", o.name, name, didYouMean(name, o.algorithms()))
	}
	p.variant = *v
	p.cut = p.parts(p.size)
	return p, nil
}

func didYouMean(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; known: " + strings.Join(known, ", ")
}

// join takes the members in; each must be a rank, and appear once.
func (p *Plan) join(members []int32, ranks int) error {
	if members == nil {
		return nil
	}
	p.members, p.size = slices.Clone(members), len(members)
	p.position = make(map[int32]int32, len(members))
	for i, r := range members {
		if r < 0 || int(r) >= ranks {
			return fmt.Errorf("member %d is not a rank: there are %d", r, ranks)
		}
		if _, twice := p.position[r]; twice {
			return fmt.Errorf("rank %d is a member twice", r)
		}
		p.position[r] = int32(i)
	}
	return nil
}

// positionOf is a rank's number in the group; -1 if it is not a member.
func (p *Plan) positionOf(rank int32) int {
	if p.members == nil {
		if rank < 0 || int(rank) >= p.size {
			return -1
		}
		return int(rank)
	}
	if i, found := p.position[rank]; found {
		return int(i)
	}
	return -1
}

// Algorithm is the name of the algorithm chosen.
func (p *Plan) Algorithm() string { return p.name }

// Collective appends what the rank in hand does in a call of the collective;
// nothing if it is no member. Calls that may be under way at the same time have
// different numbers, as successive calls of a group have: number modulo 2^15-1
// makes the tag of the messages. Requests that were open before stay open. All
// that is appended belongs to the call site in hand, or, where none is known, to
// one that has the operation's name.
func (b *Builder) Collective(p *Plan, number int) {
	if b.tally == nil && int(b.Rank()) >= b.ranks {
		b.fail("%s: more than the %d ranks announced", p.operation.name, b.ranks)
		return
	}
	at := p.positionOf(b.Rank())
	if at < 0 {
		return
	}
	if b.site == 0 && p.size > 1 {
		b.CallSite(p.operation.name)
		defer b.CallSite("")
	}
	p.member(b, at, number)
}

// member appends the part of the member at a position.
func (p *Plan) member(b *Builder, at, number int) {
	const tags = AnyTag - CollectiveTags
	if p.size == 1 {
		return
	}
	c := &call{builder: b, plan: p, size: p.size, me: (at - p.root + p.size) % p.size}
	c.tag = uint16(CollectiveTags + (number%tags+tags)%tags)
	p.run(c)
}

// measure counts the operations and bytes of one call of all members together,
// and the computing time of the one who computes longest. It stops soon after
// the operations exceed a limit.
func (p *Plan) measure(limit int64) (sum tally) {
	for at := 0; at < p.size && sum.operations <= limit; at++ {
		b := Builder{tally: &tally{}}
		p.member(&b, at, 0)
		sum.operations += b.tally.operations
		sum.bytes = min(sum.bytes, maxTotal) + b.tally.bytes
		sum.nanoseconds = max(sum.nanoseconds, b.tally.nanoseconds)
	}
	return sum
}
