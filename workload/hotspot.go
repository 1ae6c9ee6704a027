package workload

import "math/rand/v2"

const hotSpotStream = 0x686f7473706f74 // keeps the numbers of this pattern apart from other users of a seed

// buildHotSpot is the traffic of many clients with few servers, such as storage
// hosts (hot-spot traffic: Pfister and Norton 1985, here with all of a client's
// messages to the hot spots). Ranks 0 to servers-1 (servers= is 1) are the servers. In a round every other
// rank sends a message to one of them, drawn at random (traffic=writes); or
// every server sends one to a client drawn at random (reads); or both.
func buildHotSpot(s *spec, maxOps int64) (*Program, error) {
	ranks, bytes, rounds, seed := s.ranks(), s.messageBytes(), s.rounds(maxOps), s.seed()
	compute := s.computeNanoseconds()
	servers := int(s.int64("servers", 1, 1, int64(ranks)))
	traffic := s.choice("traffic", "writes", "reads", "both")
	s.room(maxOps, load{ranks: ranks, rounds: rounds, messages: 1, bytes: bytes, compute: compute})
	if err := s.finish(); err != nil {
		return nil, err
	}
	clients := ranks - servers
	p := newProgram(ranks, ranks*int(rounds), nil)
	random := rand.New(rand.NewPCG(uint64(seed), hotSpotStream))
	for r := range ranks {
		for range rounds {
			p.compute(compute)
			switch {
			case clients == 0:
			case r >= servers && traffic != "reads":
				p.send(random.IntN(servers), bytes)
			case r < servers && traffic != "writes":
				p.send(servers+random.IntN(clients), bytes)
			}
		}
		p.endRank()
	}
	return p, nil
}
