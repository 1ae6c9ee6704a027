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
	QueueAboveCredits CongestionRule = iota // the port's queue, that of the packet's virtual channel, exceeds the credits of the next buffer: it needs credit back before it can empty
	QueueAbove                              // the queue exceeds a number of bytes
	CreditsBelow                            // the credits are below a number of bytes
	Probabilistic                           // with a probability that grows with the queue, to 1 at a number of bytes
	WaitAbove                               // the packet waits longer at the port than the link takes to send a number of bytes; known at departure only
)

// CongestionPoint is when a packet finds out (same section).
type CongestionPoint uint8

const (
	AtQueueing  CongestionPoint = iota // as it is put into the port's queue, its own bytes included
	AtArrival                          // as it comes to the switch: the queue without it
	AtDeparture                        // as it is about to leave: what is queued then, its own bytes included
)

// Congestion is a definition of "congested". The zero value is that of the
// thesis's experiments.
type Congestion struct {
	Rule  CongestionRule
	Bytes int // of all but QueueAboveCredits: 1 to 2^30
	At    CongestionPoint
}

var congestionNames = []string{"queue-above-credits", "queue-above", "credits-below", "probabilistic", "wait-above"}

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

// judge is a Congestion at work.
type judge struct {
	Congestion
	usual  bool            // the zero value, which the event loop knows by itself
	random sampling.Random // of Probabilistic, apart from all other chance
}

func newJudge(c Congestion) judge { return judge{Congestion: c, usual: c == Congestion{}} }

// congested judges a port whose queue, the packet included, has some bytes, and some
// credits.
func (j *judge) congested(credits, queued, packet int32) bool {
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

// leaves judges a port as a packet of a size is about to leave it, at time begin: by what is queued
// then, or by how long the packet has waited.
func (s *simulator) leaves(pk *packet, c *channel, id, size int32, begin int64) bool {
	if s.judge.Rule == WaitAbove {
		return begin-pk.ready > s.classAt.at(int32(c.class)).sendTime(int32(s.judge.Bytes))
	}
	return s.judge.congested(s.creditsAt(id, c, begin), c.queued, size)
}
