package mapping

import (
	"context"
	"math/rand/v2"
)

// IdentityStrategy is block placement: ranks in order fill a host's slots
// before the next host's. Fixed ranks keep their slots.
func IdentityStrategy() Strategy {
	return Strategy{
		Name: "identity",
		Doc:  "block placement: fills a host's slots before the next host",
		Map: func(ctx context.Context, p *Problem) (Mapping, error) {
			slots := make([]int32, p.Allocation.SlotCount())
			for s := range slots {
				slots[s] = int32(s)
			}
			return fill(ctx, p, slots)
		},
	}
}

// CyclicStrategy deals ranks over the hosts like cards, one each in turn,
// passing over hosts that are full. Fixed ranks keep their slots.
func CyclicStrategy() Strategy {
	return Strategy{
		Name: "cyclic",
		Doc:  "deals ranks over the hosts, one each in turn",
		Map: func(ctx context.Context, p *Problem) (Mapping, error) {
			return fill(ctx, p, dealt(p.Allocation))
		},
	}
}

// RandomStrategy places the ranks on a random choice of the slots, uniform
// over all such choices by the problem's seed. Fixed ranks keep their slots.
func RandomStrategy() Strategy {
	return Strategy{
		Name: "random",
		Doc:  "a random placement, by the seed",
		Map: func(ctx context.Context, p *Problem) (Mapping, error) {
			slots := make([]int32, p.Allocation.SlotCount())
			for s := range slots {
				slots[s] = int32(s)
			}
			chance := rand.New(rand.NewPCG(p.Seed, 0x72616e646f6d)) // "random": a stream of its own
			chance.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			return fill(ctx, p, slots)
		},
	}
}

// dealt lists all slots in dealing order: the first slot of every host in
// turn, then the second of those that have one, and so on.
func dealt(a *Allocation) []int32 {
	within := a.SlotWithinHost()
	most := int32(-1)
	for _, w := range within {
		most = max(most, w)
	}
	start := make([]int32, most+2) // start[w+1] counts slots numbered w within their host
	for _, w := range within {
		start[w+1]++
	}
	for w := range most + 1 {
		start[w+1] += start[w]
	}
	order := make([]int32, len(within))
	for s, w := range within {
		order[start[w]] = int32(s)
		start[w]++
	}
	return order
}

// fill puts the fixed ranks on their slots and the others, in order, on the
// remaining slots in the order given. Errors: ctx's, *TooManyMoves.
func fill(ctx context.Context, p *Problem, slots []int32) (Mapping, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := make(Mapping, p.Ranks())
	taken := make([]bool, len(slots))
	for _, s := range p.Fixed {
		if s >= 0 {
			taken[s] = true
		}
	}
	next := 0
	for r := range m {
		if p.Fixed != nil && p.Fixed[r] >= 0 {
			m[r] = p.Fixed[r]
			continue
		}
		for taken[slots[next]] {
			next++
		}
		m[r] = slots[next]
		next++
	}
	if err := p.CheckMoves(m); err != nil {
		return nil, err
	}
	return m, nil
}
