package exchange

import (
	"cmp"
	"context"
	"slices"
)

// Where few ranks may move, ranks that talk to each other must move together. A rank that leaves a
// leaf switch alone leaves its partners behind, and all its messages then cross the links that were
// to be relieved.
//
//	leaf p (too much traffic)   leaf q
//	[ a-b-c-d | e-f ]     ->    [ a-b-c-d . . ]    single exchanges raise the cost first,
//	[ . . . . | e-f ]                              a block lowers it at once
//
// block is a set of ranks that talk to each other, and the site they may move to.
type block struct {
	ranks []int32
	// site is the site whose empty slots they take.
	site int32
	// gain is by how much the cost falls for each rank that moves, as priced last.
	gain float64
}

// withBlocks is the search after blocks have moved. First whole blocks move. Where the limit of
// moves keeps some of them from moving, a second search from the same start moves parts of blocks
// too; the better of both is the result. The first ranks that leave a critical link bring most of
// the gain.
func (r *localSearch) withBlocks(ctx context.Context) (*localSearch, error) {
	start := r.Mapping()
	if err := r.moveBlocks(ctx); err != nil || !r.limitHit {
		return r, err
	}
	parts := newLocalSearch(NewState(r.problem, start), r.options)
	parts.splitBlocks, parts.steps = true, r.steps
	err := parts.moveBlocks(ctx)
	if r.steps = parts.steps; parts.Cost() < r.Cost() {
		return parts, err
	}
	return r, err
}

// moveBlocks moves blocks of ranks onto empty slots as long as the cost falls, those with the most
// gain for a rank first. All blocks are priced once. Later the first one is priced again before it
// moves; if it then gains less than the next, it goes back into the order, as in lazy greedy
// algorithms (Minoux 1978). This takes at most half of the work.
func (r *localSearch) moveBlocks(ctx context.Context) error {
	waiting, err := r.gainingBlocks(ctx)
	for err == nil && len(waiting) > 0 && r.blockWork() {
		first := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		r.price(&first)
		switch {
		case first.gain <= 0:
		case len(waiting) == 0 || first.gain >= waiting[len(waiting)-1].gain:
			r.moveBlock(&first)
		default:
			at, _ := slices.BinarySearchFunc(waiting, first, byGain)
			waiting = slices.Insert(waiting, at, first)
		}
		err = ctx.Err()
	}
	return err
}

// gainingBlocks lists the blocks that lower the cost, the one with the most gain last.
func (r *localSearch) gainingBlocks(ctx context.Context) ([]block, error) {
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
			if r.price(&b); b.gain > 0 {
				waiting = append(waiting, b)
			}
		}
	}
	slices.SortStableFunc(waiting, byGain)
	return waiting, nil
}

func byGain(x, y block) int { return cmp.Compare(x.gain, y.gain) }

func (r *localSearch) blockWork() bool { return r.options.Work == 0 || r.steps < r.options.Work/2 }

// price sets what a block gains now; 0 when it may not move there.
func (r *localSearch) price(b *block) {
	b.gain = 0
	before, away := r.Cost(), r.away
	from := r.moveBlock(b)
	if from == nil {
		return
	}
	more := r.away - away
	b.gain = aboveRounding(before-r.Cost(), before) / float64(max(1, more))
	if r.away > r.problem.MaxMoves {
		r.limitHit = r.limitHit || b.gain > 0
		b.gain = 0
	}
	for i := len(b.ranks) - 1; i >= 0; i-- {
		r.Exchange(r.slotOf[b.ranks[i]], from[i])
	}
}

// moveBlock moves a block and returns the slots where its ranks were. It returns nil and moves
// nothing when a rank is on the site already or may not move, or when the site has too few empty
// slots.
func (r *localSearch) moveBlock(b *block) (from []int32) {
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

// empty lists `count` empty slots of a site, or all if there are fewer. Slots of the hosts with
// most empty slots come first, so that ranks that share a host stay together.
func (r *localSearch) empty(site int32, count int) []int32 {
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
		slices.SortStableFunc(slots, func(x, y int32) int {
			return cmp.Compare(on[r.sites.host[y]],
				on[r.sites.host[x]])
		})
	}
	return slots[:min(len(slots), count)]
}

// blocks lists sets of ranks that are connected by messages: connected components over several
// sites, and those within one site. With splitBlocks it adds a quarter, half and three quarters of
// each component within a site. Ranks are in order of their slots, so that those on one host stay
// side by side.
func (r *localSearch) blocks() [][]int32 {
	site := func(u int32) int32 { return r.sites.of[r.slotOf[u]] }
	var blocks [][]int32
	add := func(ranks []int32) {
		if len(ranks) > r.problem.MaxMoves {
			r.limitHit = true
		} else if len(ranks) > 1 { // single ranks are left to ordinary exchanges
			ranks = slices.Clone(ranks)
			slices.SortFunc(ranks, func(x, y int32) int { return cmp.Compare(r.slotOf[x], r.slotOf[y]) })
			blocks = append(blocks, ranks)
		}
	}
	for _, ranks := range r.components(func(u, v int32) bool { return true }) {
		if len(ranks) <= r.problem.MaxMoves && slices.ContainsFunc(ranks,
			func(u int32) bool { return site(u) != site(ranks[0]) }) {
			add(ranks)
		}
	}
	for _, ranks := range r.components(func(u, v int32) bool { return site(u) == site(v) }) {
		add(ranks)
		for quarter := 1; r.splitBlocks && quarter < 4; quarter++ {
			add(ranks[:len(ranks)*quarter/4])
		}
		if r.splitBlocks && len(ranks) > r.problem.MaxMoves {
			add(ranks[:r.problem.MaxMoves])
		}
	}
	return blocks
}

// components lists the connected components of the graph of those edges that count, each breadth
// first from its lowest rank.
func (r *localSearch) components(counts func(u, v int32) bool) [][]int32 {
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
