package exchange

import (
	"cmp"
	"context"
	"slices"
)

// Where few ranks may move, those that talk to each other must move together: on
// its way out of a crowded leaf switch a rank that goes first leaves its partners
// behind, and all its messages cross the links that were to be relieved.
//
//	leaf p (crowded)          leaf q
//	[ a-b-c-d | e-f ]   ->    [ a-b-c-d . . ]      one exchange at a time goes uphill,
//	[ . . . . | e-f ]                              a block gains at once
//
// block is ranks that talk to each other, and where they may go together.
type block struct {
	ranks []int32
	site  int32   // whose empty slots they take
	worth float64 // what the cost falls by for each rank that moves, when it was priced last
}

// withBlocks is the search after blocks have moved: whole ones, and where the
// limit of moves keeps some of these from moving, parts of them too if that lowers the
// cost more. Most of a crowd's harm goes with the first who leave.
func (r *search) withBlocks(ctx context.Context) (*search, error) {
	start := r.Mapping()
	if err := r.moveBlocks(ctx); err != nil || !r.short {
		return r, err
	}
	parts := newSearch(NewState(r.problem, start), r.options)
	parts.parts, parts.steps = true, r.steps
	err := parts.moveBlocks(ctx)
	if r.steps = parts.steps; parts.Cost() < r.Cost() {
		return parts, err
	}
	return r, err
}

// moveBlocks moves blocks of ranks onto empty slots as long as the cost falls, those
// that gain most for a rank first. Blocks are priced all at once; later the
// first of them is priced again before it moves, and stands back if another
// promises more, as in lazy greedy algorithms (Minoux 1978). It takes half of the
// work at most.
func (r *search) moveBlocks(ctx context.Context) error {
	waiting, err := r.worthy(ctx)
	for err == nil && len(waiting) > 0 && r.blockWork() {
		first := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		r.price(&first)
		switch {
		case first.worth <= 0:
		case len(waiting) == 0 || first.worth >= waiting[len(waiting)-1].worth:
			r.put(&first)
		default:
			at, _ := slices.BinarySearchFunc(waiting, first, byWorth)
			waiting = slices.Insert(waiting, at, first)
		}
		err = ctx.Err()
	}
	return err
}

// worthy lists blocks that lower the cost, what is worth most last.
func (r *search) worthy(ctx context.Context) ([]block, error) {
	var room []int32 // sites with empty slots
	for site := range int32(r.sites.count()) {
		if len(r.empty(site, 1)) > 0 {
			room = append(room, site)
		}
	}
	if room == nil {
		return nil, nil
	}
	var waiting []block
	for _, ranks := range r.blocks() {
		for _, site := range room {
			if err := ctx.Err(); err != nil || !r.blockWork() {
				return nil, err
			}
			b := block{ranks: ranks, site: site}
			if r.price(&b); b.worth > 0 {
				waiting = append(waiting, b)
			}
		}
	}
	slices.SortStableFunc(waiting, byWorth)
	return waiting, nil
}

func byWorth(x, y block) int { return cmp.Compare(x.worth, y.worth) }

func (r *search) blockWork() bool { return r.options.Work == 0 || r.steps < r.options.Work/2 }

// price finds what a block is worth now; 0 when it may not move there.
func (r *search) price(b *block) {
	b.worth = 0
	before, away := r.Cost(), r.away
	from := r.put(b)
	if from == nil {
		return
	}
	more := r.away - away
	b.worth = beyond(before-r.Cost(), before) / float64(max(1, more))
	if r.away > r.problem.MaxMoves {
		r.short = r.short || b.worth > 0
		b.worth = 0
	}
	for i := len(b.ranks) - 1; i >= 0; i-- {
		r.Exchange(r.slotOf[b.ranks[i]], from[i])
	}
}

// put moves a block and tells where its ranks were; nil, and nothing has moved,
// when one is there already, may not move, or finds no empty slot.
func (r *search) put(b *block) (from []int32) {
	to := r.empty(b.site, len(b.ranks))
	if len(to) < len(b.ranks) {
		return nil
	}
	for _, u := range b.ranks {
		if r.pinned(u) || r.sites.of[r.slotOf[u]] == b.site {
			return nil
		}
	}
	for i, u := range b.ranks {
		from = append(from, r.slotOf[u])
		r.Exchange(r.slotOf[u], to[i])
	}
	return from
}

// empty lists so many empty slots of a site, or all there are, those of the
// hosts with most of them first: ranks that share a host stay together.
func (r *search) empty(site int32, count int) []int32 {
	var slots []int32
	r.steps += int64(len(r.sites.at(site)))
	for _, slot := range r.sites.at(site) {
		if r.rankAt[slot] < 0 {
			slots = append(slots, slot)
		}
	}
	if len(slots) >= count && r.sites.shared {
		on := map[int32]int{}
		for _, slot := range slots {
			on[r.sites.host[slot]]++
		}
		slices.SortStableFunc(slots, func(x, y int32) int { return cmp.Compare(on[r.sites.host[y]], on[r.sites.host[x]]) })
	}
	return slots[:min(len(slots), count)]
}

// blocks lists ranks that are tied together by messages, on several sites and on
// one, if all of them may move; and where parts are asked for, of those on one
// site a quarter, half and three quarters too. They are in order of their slots,
// so that those on one host stay side by side.
func (r *search) blocks() [][]int32 {
	site := func(u int32) int32 { return r.sites.of[r.slotOf[u]] }
	var blocks [][]int32
	add := func(ranks []int32) {
		if len(ranks) > r.problem.MaxMoves {
			r.short = true
		} else if len(ranks) > 1 { // one alone any exchange moves
			ranks = slices.Clone(ranks)
			slices.SortFunc(ranks, func(x, y int32) int { return cmp.Compare(r.slotOf[x], r.slotOf[y]) })
			blocks = append(blocks, ranks)
		}
	}
	for _, ranks := range r.tied(func(u, v int32) bool { return true }) {
		if len(ranks) <= r.problem.MaxMoves && slices.ContainsFunc(ranks, func(u int32) bool { return site(u) != site(ranks[0]) }) {
			add(ranks)
		}
	}
	for _, ranks := range r.tied(func(u, v int32) bool { return site(u) == site(v) }) {
		add(ranks)
		for quarter := 1; r.parts && quarter < 4; quarter++ {
			add(ranks[:len(ranks)*quarter/4])
		}
		if r.parts && len(ranks) > r.problem.MaxMoves {
			add(ranks[:r.problem.MaxMoves])
		}
	}
	return blocks
}

// tied lists the connected components of the graph without the edges that do
// not count, each breadth first from its lowest rank.
func (r *search) tied(counts func(u, v int32) bool) [][]int32 {
	g := r.problem.Graph
	seen := make([]bool, len(r.slotOf))
	var components [][]int32
	for u := range int32(len(seen)) {
		if seen[u] {
			continue
		}
		seen[u] = true
		ranks := []int32{u}
		for i := 0; i < len(ranks); i++ {
			first, end := g.Row(ranks[i])
			for _, v := range g.Neighbors[first:end] {
				if !seen[v] && counts(ranks[i], v) {
					seen[v] = true
					ranks = append(ranks, v)
				}
			}
		}
		components = append(components, ranks)
	}
	return components
}
