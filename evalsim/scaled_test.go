package evalsim_test

import (
	"testing"

	"remap/evalsim"
	"remap/workload"
)

// Volumes that were scaled down keep to the protocol of the whole ones: what
// asked its receiver first still does.
func TestScaledVolumesKeepRendezvous(t *testing.T) {
	p, err := workload.ParsePattern("alltoall:8,algorithm=pairwise,bytes=1048576")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		eager    int64
		requests bool
	}{{65536, true}, {1000000, true}, {1048576, false}} {
		scaled, _ := workload.Scale(p, 4096, 500)
		if scaled.VolumeScale >= 0.1 {
			t.Fatalf("volumes are scaled by %g only", scaled.VolumeScale)
		}
		o := evalsim.DefaultOptions()
		o.EagerBytes = c.eager
		r := run(t, network(t, "tapered"), scaled, o)
		// A request and its answer are two packets for each of 56 messages.
		if extra := r.Packets - scaled.Packets(4096); extra != map[bool]int64{true: 112, false: 0}[c.requests] {
			t.Errorf("eager up to %d bytes: %d packets more than the data", c.eager, extra)
		}
	}
}
