package workload

import (
	"fmt"

	"remap/commgraph"
	"remap/input"
)

// RecordedOptions says how recorded traffic becomes messages.
type RecordedOptions struct {
	// MessageBytes: size of a message where counts are not known, 1 to 2^52.
	MessageBytes int64
	// PacketBytes: size of a full packet, 1 to 2^30; used to count packets only.
	PacketBytes int
	// MaxPackets is of all ranks together, up to 2^52; above it all volumes are scaled
	// down; 0 = DefaultMaxPackets a rank.
	MaxPackets int64
	// Wait lets a rank begin a round when it has all messages of the one before, as iterative codes do.
	Wait bool
}

// DefaultRecordedOptions are messages of 64 KiB, packets of 4 KiB and
// DefaultMaxPackets of them a rank.
func DefaultRecordedOptions() RecordedOptions {
	return RecordedOptions{MessageBytes: 64 << 10, PacketBytes: 4096}
}

// Validate names the field that is out of its bounds.
func (o RecordedOptions) Validate() error {
	for _, field := range []struct {
		name      string
		value     int64
		low, high int64
	}{
		{"MessageBytes", o.MessageBytes, 1, maxTotal},
		{"PacketBytes", int64(o.PacketBytes), 1, 1 << 30},
		{"MaxPackets", o.MaxPackets, 0, maxTotal},
	} {
		if field.value < field.low || field.value > field.high {
			return fmt.Errorf("%s is %d, must be from %d to %d", field.name, field.value, field.low, field.high)
		}
	}
	return nil
}

// pairMessages is what one rank sends one other: count messages, of which the
// first larger ones have size+1 bytes, or, if cut, all but the last one size
// bytes and the last one what is left.
type pairMessages struct {
	count  int64
	size   int64 // bytes of the common message
	larger int64 // messages with a byte more; 0 if last >= 0
	last   int64 // bytes of the last message; -1 = as the others
}

// messages divides an entry of the traffic scaled by f.
func (o RecordedOptions) messages(t *commgraph.Traffic, entry int32, f float64) pairMessages {
	bytes := scaled(t.Bytes[entry], f)
	if t.Messages == nil {
		count := (bytes + o.MessageBytes - 1) / o.MessageBytes
		return pairMessages{count: count, size: o.MessageBytes, last: bytes - (count-1)*o.MessageBytes}
	}
	count := scaled(t.Messages[entry], f)
	if count == 0 && bytes > 0 {
		count = 1
	}
	m := pairMessages{count: count, last: -1}
	if count > 0 {
		m.size, m.larger = bytes/count, bytes%count
	}
	return m
}

// bytes is the size of message k, from 0.
func (m pairMessages) bytes(k int64) int64 {
	switch {
	case k < m.larger:
		return m.size + 1
	case m.last >= 0 && k == m.count-1:
		return m.last
	}
	return m.size
}

// packets counts those of all messages.
func (m pairMessages) packets(packetBytes int) int64 {
	switch {
	case m.count == 0:
		return 0
	case m.last >= 0:
		return saturating(m.count-1, packets(m.size, packetBytes)) + packets(m.last, packetBytes)
	}
	return saturating(m.larger, packets(m.size+1, packetBytes)) + saturating(m.count-m.larger,
		packets(m.size, packetBytes))
}

// saturating multiplies without overflow: sums of a thousand such products
// stay in int64, and no limit is that high.
func saturating(a, b int64) int64 {
	const most = maxTotal
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

// Recorded turns recorded traffic into a program: in each round a rank sends
// one message to each of its partners that has messages left, in ascending
// order of rank, until none is left. The bytes of a pair are spread evenly over
// its messages (sizes differ by at most one byte); where counts are not known,
// messages have MessageBytes, the last one of a pair the rest. What a rank
// sends itself is left out.
//
// With Wait a rank posts the receives of a round before it sends, and waits for
// all its receives and sends of the round before the next. Messages of one number
// are one round for both ranks, so no rank waits for ever.
//
// If that makes more than MaxPackets packets, volumes and counts are all
// multiplied by one factor, stored in VolumeScale, and each pair keeps at least
// one message; if one packet a pair is too many already, each pair sends
// exactly one and Warning says so. Smaller then has half of that factor.
// O(ranks + entries + messages).
func Recorded(t *commgraph.Traffic, o RecordedOptions) (*Program, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.MaxPackets == 0 {
		o.MaxPackets = Limit(o.packets(t, 1), t.Ranks(), DefaultMaxPackets)
	}
	least := int64(0)
	o.each(t, 1, func(_ int32, m pairMessages) { least += min(1, m.count) })
	f := largestFactor(o.MaxPackets, least, func(f float64) int64 { return o.packets(t, f) })
	p, err := o.recordedAt(t, f)
	if err != nil {
		return nil, err
	}
	p.Warning = tooMany(least, o.MaxPackets)
	if f < 1 {
		p.Smaller, err = o.recordedAt(t, f/2)
	}
	return p, err
}

// OneMessageAPair is recorded traffic in one message from each rank to each of its
// partners, whatever its size: enough for lower bounds, which ask for bytes alone.
// O(entries).
func OneMessageAPair(t *commgraph.Traffic) (*Program, error) {
	single := *t
	single.Messages = make([]int64, len(t.Bytes))
	for i := range single.Messages {
		if single.Messages[i] = 1; t.Messages != nil {
			single.Messages[i] = min(1, t.Messages[i])
		}
	}
	return RecordedOptions{MessageBytes: maxTotal, PacketBytes: 1}.recordedAt(&single, 1)
}

// RecordedPackets is how many packets Recorded makes of the full volume;
// MaxPackets plays no part.
func RecordedPackets(t *commgraph.Traffic, o RecordedOptions) int64 { return o.packets(t, 1) }

// packets counts those at a factor.
func (o RecordedOptions) packets(t *commgraph.Traffic, f float64) int64 {
	var sum int64
	o.each(t, f, func(_ int32, m pairMessages) {
		sum = min(sum, maxTotal) + m.packets(o.PacketBytes)
	})
	return sum
}

// recordedAt is the program at a factor.
func (o RecordedOptions) recordedAt(t *commgraph.Traffic, f float64) (*Program, error) {
	var ops int64
	each := int64(1) // operations a message at most
	if o.Wait {
		each = 4
	}
	o.each(t, f, func(_ int32, m pairMessages) { ops += m.count })
	// Entries were paid for by the size of their file, messages only by a number in it.
	if most := max(maxOps/each, int64(len(t.Bytes))); ops > most {
		return nil, &input.Error{Reason: fmt.Sprintf("%d messages are too many: at most %d", ops, most),
			Hint: "fewer packets (--max-packets) leave fewer messages"}
	}
	p := newProgram(t.Ranks(), int(ops*min(each, 2)), nil)
	p.VolumeScale = f
	var in *senders
	if o.Wait {
		in = newSenders(t)
	}
	var from, to []partner
	for r := range int32(t.Ranks()) {
		from, to = from[:0], to[:0]
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			if t.Destinations[i] != r {
				to = append(to, partner{t.Destinations[i], o.messages(t, i, f)})
			}
		}
		if !o.Wait {
			p.interleave(to)
			continue
		}
		for _, e := range in.of(r) {
			if e.sender != r {
				from = append(from, partner{e.sender, o.messages(t, e.entry, f)})
			}
		}
		p.interleaveWaiting(from, to)
	}
	return p, nil
}

// each visits the entries of different ranks as they are divided at factor f.
func (o RecordedOptions) each(t *commgraph.Traffic, f float64, visit func(entry int32, m pairMessages)) {
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			if t.Destinations[i] != r {
				visit(i, o.messages(t, i, f))
			}
		}
	}
}

type partner struct {
	rank     int32
	messages pairMessages
}

// round appends one operation for each partner that has a message in a round, and gives these partners.
func (p *Program) round(kind OpKind, partners []partner, round int64) []partner {
	left := partners[:0]
	for _, q := range partners {
		if round < q.messages.count {
			p.Ops = append(p.Ops, Op{Kind: kind, Peer: q.rank, Bytes: q.messages.bytes(round)})
			left = append(left, q)
		}
	}
	return left
}

// interleave appends a rank's rounds; it uses up partners, ascending by rank.
func (p *Program) interleave(partners []partner) {
	for round := int64(0); len(partners) > 0; round++ {
		partners = p.round(Send, partners, round)
	}
	p.endRank()
}
