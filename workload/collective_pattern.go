package workload

// collective makes the builder of a pattern of rounds calls of one collective
// operation by all ranks, with an algorithm unless algorithm= names another.
// root= (0) is the root, reduction-rate= (0, in no time) the bytes that a rank
// combines in a second. Nothing but its messages holds a rank back, so that a
// call may begin before the one before has ended elsewhere: in a linear reduce
// a rank goes on to the next array as soon as its send has left (2018 thesis
// (Taffet), section 4.3).
func collective(operation, algorithm string) func(*spec, int64) (*Program, error) {
	return func(s *spec, maxOps int64) (*Program, error) {
		ranks, rounds, compute := s.ranks(), s.rounds(maxOps), s.computeNanoseconds()
		c := Collective{Operation: operation, Algorithm: algorithm}
		c.Bytes = s.int64("bytes", defaultBytes, 0, maxTotal/int64(ranks))
		if operation == "barrier" {
			c.Bytes = s.int64("bytes", 0, 0, maxTotal/int64(ranks))
		}
		for _, name := range s.pattern.options {
			switch name {
			case "algorithm":
				if s.take(name) != nil {
					c.Algorithm = s.choice(name, algorithmWords(operation)...)
				}
			case "root":
				c.Root = int32(s.int64(name, 0, 0, int64(ranks-1)))
			case "reduction-rate":
				c.ReductionRate = float64(s.int64(name, 0, 0, maxTotal))
			}
		}
		if s.err != nil {
			return nil, s.finish()
		}
		plan, err := c.Plan(ranks)
		if err != nil {
			s.fail(0, "", "%v", err)
			return nil, s.finish()
		}
		return s.repeat(maxOps, plan, ranks, rounds, compute)
	}
}

// repeat builds rounds calls of a collective of all ranks.
func (s *spec) repeat(maxOps int64, plan *Plan, ranks int, rounds, compute int64) (*Program, error) {
	s.room(maxOps, load{ranks: ranks, rounds: rounds, compute: compute})
	if s.err != nil { // too many ranks: do not measure them
		return nil, s.finish()
	}
	one := plan.measure(maxOps)
	ops := one.operations
	if compute > 0 {
		ops += int64(ranks)
	}
	if !within(maxOps, max(ops, 1), rounds) {
		s.fail(0, "fewer ranks or rounds", "more than %d operations", maxOps)
	} else if !within(maxTotal, one.bytes, rounds) {
		s.fail(0, "smaller messages or fewer rounds", "a total volume above %d bytes", int64(maxTotal))
	}
	s.computingTime(rounds, compute+one.nanoseconds)
	if err := s.finish(); err != nil {
		return nil, err
	}
	b := NewBuilder(ranks, int(ops*rounds))
	for range ranks {
		for round := range int(rounds) {
			if compute > 0 {
				b.Compute(compute)
			}
			b.Collective(plan, round)
		}
		b.EndRank()
	}
	return b.Program()
}
