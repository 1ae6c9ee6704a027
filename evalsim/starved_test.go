package evalsim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/workload"
)

// among runs a job beside an endless one.
func among(t *testing.T, spec string, job, other evalsim.Job, o evalsim.Options) error {
	t.Helper()
	other.Endless = true
	_, err := evalsim.Run(t.Context(), network(t, spec), []evalsim.Job{job, other}, o)
	return err
}

// A job that waits for what never comes ends also beside jobs that copy within a host
// and never send.
func TestBlockedBesideEndlessCopies(t *testing.T) {
	waits := evalsim.Job{Program: ops(nil, []workload.Op{receive(0)}), Hosts: []int32{0, 1}}
	copies := evalsim.Job{Program: parsed(t, "ring:2,bytes=65536"), Hosts: []int32{2, 2}}
	var blocked *evalsim.BlockedError
	if err := among(t, star, waits, copies, options(nil)); !errors.As(err, &blocked) ||
		len(blocked.Ranks) != 1 || blocked.Ranks[0].Rank != 1 {
		t.Errorf("%v", err)
	}
}

// Endless jobs that only idle or compute keep nobody from the end, and times stay within
// what is counted.
func TestBlockedBesideEndlessPauses(t *testing.T) {
	const days = 86400 * 1e9 // ns
	waits := evalsim.Job{Program: ops(nil, []workload.Op{compute(1e6), receive(0)}), Hosts: []int32{0, 1}}
	computes := evalsim.Job{Program: ops([]workload.Op{compute(100 * days)}), Hosts: []int32{1}}
	for name, pause := range map[string]workload.Op{"idles": idle(40 * days * 12),
		"computes": compute(40 * days), "for a moment": compute(1)} {
		other := evalsim.Job{Program: ops([]workload.Op{pause}), Hosts: []int32{2}}
		var blocked *evalsim.BlockedError
		err := among(t, star, waits, other, options(nil))
		if name == "for a moment" && !errors.As(err, &blocked) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{"rank 1", "job 0", "operation 1: receive from rank 0"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if err := among(t, star, computes, waits, options(nil)); err == nil {
		t.Error("100 days are simulated")
	}
}

// In a row of switches each takes as much from its own host as from all behind it. The
// last of forty gets a 2^39th of the link, and the run ends with a word about it.
func TestStarvedJob(t *testing.T) {
	tier.Long(t, "34 million events, twice")
	const row = 40
	var sends [][3]int
	hosts := []int32{0}
	for h := 1; h < row-1; h++ {
		sends = append(sends, [3]int{h, 0, 1 << 20})
		hosts = append(hosts, int32(h))
	}
	for bytes, want := range map[int64]string{
		10000:   "rank 0, operation 1: its message of 10000 bytes to rank 1 has not arrived",
		1 << 20: "rank 0, operation 1: send of 1048576 bytes to rank 1",
	} {
		// The background has some time to fill the row before the job begins.
		job := evalsim.Job{Program: ops([]workload.Op{compute(1e6), send(1, bytes)}, nil),
			Hosts: []int32{row - 1, 0}}
		err := among(t, fmt.Sprintf("mesh:%d", row), job,
			evalsim.Job{Program: program(row-1, sends...), Hosts: hosts}, options(nil))
		var starved *evalsim.StarvedError
		if !errors.As(err, &starved) || starved.Job != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A job that computes for long beside an endless one is not starved: 3 ms of silence are
// many events of the others, and the job's own end comes.
func TestLongComputeIsNotStarved(t *testing.T) {
	job := evalsim.Job{Program: ops([]workload.Op{compute(3e7), send(1, 100)}, []workload.Op{receive(0)}),
		Hosts: []int32{0, 1}}
	other := evalsim.Job{Program: parsed(t, "ring:2,bytes=65536"), Hosts: []int32{2, 3}}
	if err := among(t, star, job, other, options(nil)); err != nil {
		t.Error(err)
	}
}
