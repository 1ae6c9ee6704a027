package flows

import "time"

// Snapshot is what a job has sent up to a moment. All bytes are those of messages without
// headers, counted where they are received.
type Snapshot struct {
	Time time.Time

	// Ranks has the counts of every rank.
	Ranks []RankCounts
}

// RankCounts is what a rank has done.
type RankCounts struct {
	// Sent and Received are bytes over the network.
	Sent, Received int64

	// Local is bytes received from ranks of the same host.
	Local int64

	// Steps is how many times the rank has played its program.
	Steps int64
}

// PairBytes is what the receiver of an ordered pair of ranks has received.
type PairBytes struct {
	From, To int32
	Bytes    int64
	Local    bool // both ranks sit on one host
}

// Snapshot reads the counters. It may be called at any time, after the end too.
func (j *Job) Snapshot() Snapshot {
	s := Snapshot{Time: time.Now(), Ranks: make([]RankCounts, len(j.players))}
	for _, l := range j.links {
		bytes := l.received.Load()
		if l.local {
			s.Ranks[l.to].Local += bytes
			continue
		}
		s.Ranks[l.from].Sent += bytes
		s.Ranks[l.to].Received += bytes
	}
	for r, p := range j.players {
		s.Ranks[r].Steps = p.done.Load()
	}
	return s
}

// Pairs reads the counters of all pairs of ranks that talk.
func (j *Job) Pairs() []PairBytes {
	pairs := make([]PairBytes, len(j.links))
	for i, l := range j.links {
		pairs[i] = PairBytes{l.from, l.to, l.received.Load(), l.local}
	}
	return pairs
}

// Received is the bytes that all ranks have received over the network.
func (s Snapshot) Received() int64 {
	var sum int64
	for _, r := range s.Ranks {
		sum += r.Received
	}
	return sum
}

// Steps is the number of steps that every rank has completed.
func (s Snapshot) Steps() int64 {
	if len(s.Ranks) == 0 {
		return 0
	}
	least := s.Ranks[0].Steps
	for _, r := range s.Ranks {
		least = min(least, r.Steps)
	}
	return least
}

// BytesPerSecond is the throughput of the job over the network since an earlier snapshot; 0
// if no time has passed.
func (s Snapshot) BytesPerSecond(earlier Snapshot) float64 {
	seconds := s.Time.Sub(earlier.Time).Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(s.Received()-earlier.Received()) / seconds
}
