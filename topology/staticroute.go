package topology

// StaticIndex is which of n candidates destination-modulo routing takes at a switch
// for all packets to a host.
func (r *Routes) StaticIndex(at, host int32, n uint32) uint32 {
	if r.StaticDivisor != nil {
		host /= r.StaticDivisor[at]
	}
	return uint32(host) % n
}

// StaticNext is the link that destination-modulo routing takes at switch number `at`
// for a packet that entered the network at switch `from` and leaves it at switch `to`,
// not `at` itself, for a host. Half-way round a ring it is the one of TieUp.
func (r *Routes) StaticNext(from, at, to, host int32) int32 {
	var scratch [maxDimensions]int32
	channels := r.CandidatesIn(scratch[:], at, to)
	virtual := func(i int) int32 { return channels[i] % r.VirtualChannels }
	k := uint32(0)
	switch n := len(channels); {
	case n == 1:
	case n == 2 && r.Grid != nil && virtual(0) != virtual(1): // a tie, see GridRoute
		if r.Grid.TieUp(from, to, r.Grid.Differs(at, to)) {
			k = 1
		}
	default:
		k = r.StaticIndex(at, host, uint32(n))
	}
	return channels[k] / r.VirtualChannels
}
