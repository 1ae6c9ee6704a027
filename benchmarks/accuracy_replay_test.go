package benchmarks

import (
	"testing"

	"remap/sampling"
)

// accuracyRow is a way to sample: a variant, whether receivers correct counters
// at their limit, what switches take their chance from, and identities. Without a
// word on identities they are those of evalsim.
type accuracyRow struct {
	variant   string
	corrected bool
	chance    string // "" = a generator of 64 bits for all switches; "feedback", "rings": an own one in each
	unrelated bool   // identities of packets are drawn one by one
	counting  bool   // they count up in the low six bits, the bits above are drawn for every 64
}

func (r accuracyRow) String() string {
	name := r.variant
	if r.corrected {
		name += ", corrected"
	}
	if r.chance != "" {
		name += ", " + r.chance
	}
	if r.unrelated {
		name += ", unrelated identities"
	}
	if r.counting {
		name += ", counting identities"
	}
	return name
}

func (r accuracyRow) parse(t testing.TB) sampling.Variant {
	t.Helper()
	v, err := sampling.ParseVariant(r.variant)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What generators of switches are like: registers of feedbackBits bits; rings for
// paths of up to ringMost hops, clocked 3 to 3+ringJitter times between draws.
const (
	feedbackBits = 16
	ringMost     = 16
	ringJitter   = 24
)

// player plays what switches and receivers do with packets. Chance and
// identities are those of a run's seed.
type player struct {
	*met
	row        accuracyRow
	variant    sampling.Variant
	paths      sampling.Paths
	random     sampling.Random
	identities sampling.Identities
	others     sampling.Random    // of identities that are not those of evalsim
	next       []uint32           // by pair, number of the next packet; multiples of 64 are drawn anew
	at         []*sampling.Switch // by link: the switch that it leaves
	receiver   *sampling.Receiver
	table      *sampling.Table
	arriving   sampling.Packet
}

func newPlayer(t testing.TB, m *met, row accuracyRow) *player {
	t.Helper()
	p := &player{met: m, row: row, variant: row.parse(t), paths: m.ways.Between,
		next: make([]uint32, len(m.pairs))}
	if p.variant.Unpruned {
		all := m.ways.All()
		p.paths = func(_, _ int32) []sampling.Range { return all }
	}
	links := len(m.machine.Links)
	p.receiver = sampling.NewReceiver(p.variant, links, p.paths, len(m.pairs))
	if row.corrected {
		p.receiver.Correct(m.ways.Place)
	}
	p.table = sampling.NewTable(p.variant, links)
	p.at = make([]*sampling.Switch, links)
	p.begin(0)
	return p
}

// begin starts a run with an empty table.
func (p *player) begin(seed uint64) {
	p.random, p.identities, p.others = sampling.NewRandom(seed), sampling.NewIdentities(seed^0x69646e73),
		sampling.NewRandom(seed^0x69646e73)
	clear(p.next)
	p.table.Reset()
	if p.row.chance == "" {
		if p.at[0] == nil {
			device := sampling.NewSwitch(p.variant, len(p.at), &p.random)
			for i := range p.at {
				p.at[i] = device
			}
		}
		return
	}
	byNode := map[int32]*sampling.Switch{}
	for i := range p.at {
		node := p.machine.Links[i].From
		if byNode[node] == nil {
			byNode[node] = sampling.NewSwitch(p.variant, len(p.at), p.generator())
		}
		p.at[i] = byNode[node]
	}
}

// generator is that of one switch.
func (p *player) generator() sampling.Chooser {
	if p.row.chance == "rings" {
		return sampling.NewRings(ringMost, 3, ringJitter, uint64(p.random.Uint32()))
	}
	register, err := sampling.NewFeedbackRegister(feedbackBits, 0, p.random.Uint32())
	if err != nil {
		panic(err)
	}
	return register
}

// identify gives a packet of a pair its identity, one sequence a pair.
func (p *player) identify(pair int32) uint32 {
	switch {
	case p.row.unrelated:
		return p.others.Uint32()
	case p.row.counting:
		id := p.next[pair]
		if id%64 == 0 {
			id = p.others.Uint32() &^ 63
		}
		p.next[pair] = id + 1
		return id
	}
	return p.identities.Next(&p.next[pair])
}

// cross sends a packet over its links.
func (p *player) cross(to *sampling.Packet, packet int32) {
	pair := p.pair[packet]
	to.ID, to.Source, to.Destination = p.identify(pair), p.pairs[pair][0], p.pairs[pair][1]
	to.Send(p.variant, &p.random)
	links, congested := p.hops(packet)
	for i, link := range links {
		p.at[link].Cross(&to.Header, to.ID, link, congested[i])
	}
}

// all is a run of every packet once.
func (p *player) all(seed uint64) *sampling.Table {
	p.begin(seed)
	for packet := range int32(p.packets()) {
		p.cross(&p.arriving, packet)
		p.receiver.Receive(p.table, &p.arriving)
	}
	p.receiver.Flush()
	return p.table
}
