package evalsim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"remap/evalsim"
	"remap/sampling"
)

// shares is what part of the packets that host 0 gets from one time to another,
// in ns, every rank has sent.
func shares(t *testing.T, spec string, senders, packets int, o evalsim.Options, from, to float64) []float64 {
	t.Helper()
	top := network(t, spec)
	o.Sampling = sampling.Variant{}
	simulation, err := evalsim.New(top, []evalsim.Job{{Program: incast(top.Hosts(), senders,
		packets*o.PacketBytes), Hosts: identity(top.Hosts())}}, o)
	if err != nil {
		t.Fatal(err)
	}
	part, all := make([]float64, top.Hosts()), 0.0
	if _, err := simulation.RepeatDelivered(context.Background(), 0, 1, 1, nil,
		func(_ int, some []evalsim.Delivery) error {
			for i := range some {
				if at := float64(some[i].Arrival) / 1000; from <= at && at < to {
					part[some[i].Source]++
					all++
				}
			}
			return nil
		}); err != nil {
		t.Fatal(err)
	}
	for i := range part {
		part[i] /= all
	}
	near(t, "packets that the ejection link takes", all*float64(o.PacketBytes)/lineRate, to-from,
		2*float64(o.PacketBytes)/lineRate)
	return part
}

// jain is the fairness index of Jain, Chiu and Hawe (1984): 1 when all get the
// same, 1/n when one gets all.
func jain(shares []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(shares)) * squares)
}

// Parking lot: on a line of switches with a host each, all send to the host at
// its end. A port serves packets in the order of their coming, and each of its
// two inputs keeps its buffer full; a packet that leaves lets one of the same
// input in. So both inputs get the same, the host next to the switch as much as
// all hosts behind it: the nearest sender has 1/2 of the ejection link, the next
// 1/4, and so on; the two farthest share what is left. That is unfair to hosts,
// as switches without age-based arbitration are (Dally and Towles 2004, 15.4.1),
// and reported here with Jain's index. Fair to flows it cannot be: the model has
// no notion of them.
func TestParkingLotShares(t *testing.T) {
	const senders, packets = 6, 6000
	for _, switching := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
		for _, buffer := range []int{4, 16, 64} {
			o := evalsim.DefaultOptions()
			o.Switching, o.BufferBytes = switching, buffer*o.PacketBytes
			full := float64(packets*o.PacketBytes) / lineRate
			got := shares(t, fmt.Sprintf("mesh:%d", senders+1), senders, packets, o, 0.3*full, 1.9*full)
			text := ""
			for d := 1; d <= senders; d++ {
				want := math.Pow(0.5, float64(min(d, senders-1)))
				text += fmt.Sprintf(" %.4f", got[d])
				if math.Abs(got[d]/want-1) > 0.05 {
					t.Errorf("%v, room for %d packets: sender %d links away gets %g, "+
						"want %g", switching, buffer, d, got[d], want)
				}
			}
			t.Logf("%v, room for %d packets: shares%s, Jain's index %.3f", switching, buffer, text, jain(got[1:]))
		}
	}
}

// Senders at one and the same switch are equals, and get the same.
func TestIncastShares(t *testing.T) {
	const senders, packets = 15, 2000
	o := evalsim.DefaultOptions()
	full := float64(senders*packets*o.PacketBytes) / lineRate
	got := shares(t, "torus:1,hosts=16", senders, packets, o, 0.1*full, 0.9*full)
	t.Logf("shares %.4f, Jain's index %.6f", got[1:], jain(got[1:]))
	for s, share := range got[1:] {
		if math.Abs(share*senders-1) > 0.01 {
			t.Errorf("sender %d of %d gets %g", s, senders, share)
		}
	}
}
