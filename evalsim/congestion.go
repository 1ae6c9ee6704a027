package evalsim

import (
	"fmt"
	"strconv"
	"strings"

	"remap/sampling"
)

// CongestionRule is what makes an output port congested for a packet that goes
// through it (Taffet 2018, section 5.10).
type CongestionRule uint8

const (
	// QueueAboveCredits: the queue of the packet's virtual channel exceeds the credits of the
	// next buffer, so it needs credits back before it can empty.
	QueueAboveCredits CongestionRule = iota

	// QueueAbove: the queue exceeds a number of bytes.
	QueueAbove

	// CreditsBelow: the credits are below a number of bytes.
	CreditsBelow

	// Probabilistic: with a probability that grows with the queue, to 1 at a number of bytes.
	Probabilistic

	// WaitAbove: the packet waits at the port for longer than the link takes to send a number
	// of bytes. This is known at departure only.
	WaitAbove
)

// CongestionPoint is when a port is tested for a packet (Taffet 2018, section 5.10).
type CongestionPoint uint8

const (
	// AtQueueing: when the packet joins the port's queue, its own bytes included.
	AtQueueing CongestionPoint = iota

	// AtArrival: when the packet arrives at the switch; the queue without the packet.
	AtArrival

	// AtDeparture: when the packet is about to leave; the queue then, its own bytes included.
	AtDeparture
)

// Congestion is a definition of "congested". The zero value is that of the
// thesis's experiments.
type Congestion struct {
	Rule CongestionRule

	// Bytes is the number of bytes that the rule needs: 1 to 2^30, and 0 for
	// QueueAboveCredits.
	Bytes int

	At CongestionPoint
}

var congestionNames = []string{"queue-above-credits", "queue-above", "credits-below", "probabilistic",
	"wait-above"}

var pointNames = []string{"queueing", "arrival", "departure"}

// ParseCongestion reads queue-above-credits, queue-above:BYTES,
// credits-below:BYTES, probabilistic:BYTES or wait-above:BYTES, and one of queueing,
// arrival and departure.
func ParseCongestion(rule, at string) (Congestion, error) {
	name, bytes, sized := strings.Cut(rule, ":")
	i, err := index("definition of congestion", name, congestionNames)
	if err != nil {
		return Congestion{}, err
	}
	k, err := index("point of measuring congestion", at, pointNames)
	if err != nil {
		return Congestion{}, err
	}
	c := Congestion{Rule: CongestionRule(i), At: CongestionPoint(k)}
	if sized != (c.Rule != QueueAboveCredits) {
		if sized {
			return c, fmt.Errorf("%s takes no number of bytes", name)
		}
		return c, fmt.Errorf("%s needs a number of bytes, such as %s:16384", name, name)
	}
	if sized {
		if c.Bytes, err = strconv.Atoi(bytes); err != nil {
			return c, fmt.Errorf("%q is not a number of bytes", bytes)
		}
	}
	return c, c.validate()
}

// String is what ParseCongestion reads, the point left out.
func (c Congestion) String() string {
	if c.Rule == QueueAboveCredits {
		return congestionNames[c.Rule]
	}
	return congestionNames[c.Rule] + ":" + strconv.Itoa(c.Bytes)
}

func (c Congestion) validate() error {
	switch {
	case int(c.Rule) >= len(congestionNames):
		return fmt.Errorf("definition of congestion %d is not known", c.Rule)
	case int(c.At) >= len(pointNames):
		return fmt.Errorf("point of measuring congestion %d is not known", c.At)
	case c.Rule != QueueAboveCredits && (c.Bytes < 1 || c.Bytes > 1<<30):
		return fmt.Errorf("%s: %d bytes, must be 1 to 2^30", congestionNames[c.Rule], c.Bytes)
	case c.Rule == WaitAbove && c.At != AtDeparture:
		return fmt.Errorf("%s is known at %s only", congestionNames[c.Rule], pointNames[AtDeparture])
	}
	return nil
}

// congestionTest applies a Congestion to ports.
type congestionTest struct {
	Congestion
	usual  bool            // Congestion is the zero value, which the event loop tests itself
	random sampling.Random // stream of Probabilistic, independent of all other streams
}

func newCongestionTest(c Congestion) congestionTest {
	return congestionTest{Congestion: c, usual: c == Congestion{}}
}

// congested tells whether a port is congested for a packet of a size in bytes, given the
// credits and the bytes queued, the packet included.
func (j *congestionTest) congested(credits, queued, packet int32) bool {
	if j.At == AtArrival {
		queued -= packet
	}
	switch j.Rule {
	case QueueAbove:
		return int(queued) > j.Bytes
	case CreditsBelow:
		return int(credits) < j.Bytes
	case Probabilistic:
		return uint64(queued)<<32 > uint64(j.random.Uint32())*uint64(j.Bytes)
	}
	return queued > credits
}

// leaves tells whether a port is congested for a packet of a size that is about to leave it
// at time begin: by what is queued then, or by how long the packet has waited.
func (s *simulator) leaves(pk *packet, c *channel, id, size int32, begin int64) bool {
	if s.congestion.Rule == WaitAbove {
		return begin-pk.ready > s.classAt.at(int32(c.class)).sendTime(int32(s.congestion.Bytes))
	}
	return s.congestion.congested(s.creditsAt(id, c, begin), c.queued, size)
}
