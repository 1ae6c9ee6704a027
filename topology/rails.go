package topology

// Rails is a way out of one host and into another, as link indexes.
type Rails struct{ Injection, Ejection int32 }

// NearestRails lists the pairs of rails of least distance between two different
// hosts, in the order of the first host's rails, in buffer's memory. On hosts of
// one rail each that is the one pair there is.
func (t *Topology) NearestRails(buffer []Rails, from, to int32) []Rails {
	buffer = buffer[:0]
	first, end := t.Out(from)
	entries := t.Ejection(to)
	if end-first == 1 && len(entries) == 1 {
		return append(buffer, Rails{first, entries[0]})
	}
	best := int32(-1)
	for out := first; out < end; out++ {
		leaf := t.SwitchOf(t.Links[out].To)
		for _, in := range entries {
			d := t.distance.links(leaf, t.SwitchOf(t.Links[in].From))
			if d < 0 || best >= 0 && d > best {
				continue
			}
			if d != best {
				best, buffer = d, buffer[:0]
			}
			buffer = append(buffer, Rails{out, in})
		}
	}
	return buffer
}
