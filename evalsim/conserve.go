package evalsim

import "fmt"

// checkConservation finds bytes lost or made on the way, at the end of a run in
// which nothing moves any more: every switch has sent what it got, and if no
// message is left over, every host has sent and got what its programs say.
func (s *simulator) checkConservation(complete bool) error {
	t := s.topology
	in, out := make([]int64, t.Hosts()+t.Switches()), make([]int64, t.Hosts()+t.Switches())
	for i := range t.Links {
		bytes := s.counts(int32(i)).bytes
		out[t.Links[i].From] += bytes
		in[t.Links[i].To] += bytes
	}
	for node := t.Hosts(); node < len(in); node++ {
		if in[node] != out[node] {
			return fmt.Errorf("%s got %d bytes and sent %d", t.NodeName(int32(node)), in[node], out[node])
		}
	}
	if !complete {
		return nil
	}
	wantIn, wantOut := s.programBytes()
	for h, name := range t.HostNames {
		if out[h] != wantOut[h] || in[h] != wantIn[h] {
			return fmt.Errorf("%s sent %d bytes and got %d, its programs say %d and %d",
				name, out[h], in[h], wantOut[h], wantIn[h])
		}
	}
	return nil
}

// programBytes is what every host gets and sends by the programs of its ranks:
// messages to other hosts, and requests and answers of those that need them.
func (s *simulator) programBytes() (in, out []int64) {
	in, out = make([]int64, s.topology.Hosts()), make([]int64, s.topology.Hosts())
	for i := range s.jobs {
		j := &s.jobs[i]
		for r, from := range j.Hosts {
			for _, op := range j.Program.RankOps(int32(r)) {
				if !op.Kind.IsSend() || j.Hosts[op.Peer] == from {
					continue
				}
				to, times := j.Hosts[op.Peer], int64(j.steps)
				out[from] += times * op.Bytes
				in[to] += times * op.Bytes
				if limit := j.eagerBytes; limit > 0 && op.Bytes > limit {
					for _, h := range [2]int32{from, to} {
						out[h] += times * controlBytes
						in[h] += times * controlBytes
					}
				}
			}
		}
	}
	return in, out
}
