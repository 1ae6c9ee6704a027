package evalsim

import (
	"math"
	"strings"
	"testing"

	"remap/workload"
)

// Before a link has sent 2^32 packets the run ends and says which link it is; a look is
// not repeated until that can be.
func TestCountsEndBeforeTheyWrap(t *testing.T) {
	s := empty(t, "mesh:2", DefaultOptions())
	s.jobs = []jobState{{Job: Job{Program: &workload.Program{Offsets: []int32{0, 1},
		Ops: []workload.Op{{Kind: workload.Send, Peer: 0, Bytes: 7}}, VolumeScale: 1}}}}
	s.ranks = []rank{{op: 0, end: 1}}
	c := s.channelAt.at(s.hostLinks * s.virtual)
	c.packets = math.MaxUint32 - countMargin
	if err := s.checkCounts(); err != nil {
		t.Errorf("a run without events: %v", err)
	}
	s.events = mostPackets
	err := s.checkCounts()
	if err == nil || !strings.Contains(err.Error(), "has sent 4290772991 "+
		"packets") || !strings.Contains(err.Error(), "rank 0, operation 0: send of 7 bytes to rank 0") {
		t.Errorf("%v", err)
	}
	c.packets = 1 << 31
	if err := s.checkCounts(); err != nil || s.countable != mostPackets+1<<31-1-countMargin {
		t.Errorf("%v, next look after %d events", err, s.countable)
	}
}
