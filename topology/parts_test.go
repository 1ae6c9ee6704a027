package topology

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// twoPlanes is a fabric file of two planes, EDR and HDR: every switch pair of a
// plane has two cables, and host h has a rail in a plane when rail says so.
func twoPlanes(hosts int, rail func(host, plane int) bool) string {
	var b strings.Builder
	for plane, rate := range []string{"4xEDR", "4xHDR"} {
		for leaf := range 2 {
			fmt.Fprintf(&b, "Switch 36 \"S-%d%d\" # \"p%d-leaf%d\"\n", plane, leaf, plane, leaf)
			for k := range 2 {
				fmt.Fprintf(&b, "[%d] \"S-%d9\"[%d] # \"p%d-top\" lid 1 %s\n", 30+k, plane, 1+2*leaf+k, plane, rate)
			}
			for h := leaf; h < hosts; h += 2 {
				if rail(h, plane) {
					fmt.Fprintf(&b, "[%d] \"H-%d%d\"[1] # \"n%d mlx5_%d\" lid 1 %s\n", 1+h, plane, h, h, plane, rate)
				}
			}
		}
		fmt.Fprintf(&b, "Switch 36 \"S-%d9\" # \"p%d-top\"\n", plane, plane)
	}
	for h := range hosts {
		for plane := range 2 {
			if rail(h, plane) {
				fmt.Fprintf(&b, "Ca 1 \"H-%d%d\" # \"n%d mlx5_%d\"\n[1] "+
					"\"S-%d%d\"[%d]\n", plane, h, h, plane, plane, h%2, 1+h)
			}
		}
	}
	return b.String()
}

// Two planes in one file are one network: rates stay with their plane, parallel
// cables are all candidates, and every two hosts meet in both planes.
func TestPlanesFromFile(t *testing.T) {
	n := readText(t, twoPlanes(6, func(int, int) bool { return true }))
	checkNetwork(t, n, true)
	if got := n.Summary(); got != "6 hosts, 6 switches, 24+16 links of 100, 200 Gb/s, levels leaf(2)" {
		t.Error(got)
	}
	plane := func(node int32) byte { return n.NodeName(node)[1] }
	for i, l := range n.Links {
		sw := l.From
		if n.IsHost(sw) {
			sw = l.To
		}
		want := 12.5e9
		if plane(sw) == '1' {
			want = 25e9
		}
		if l.BytesPerSecond != want || n.Links[n.Reverse(int32(i))].BytesPerSecond != want {
			t.Errorf("%s to %s has %g B/s, want %g", n.NodeName(l.From), n.NodeName(l.To), l.BytesPerSecond, want)
		}
	}
	for a := range int32(6) {
		for b := range int32(6) {
			rails := n.NearestRails(nil, a, b)
			if a != b && len(rails) != 2 {
				t.Fatalf("%d ways from %s to %s, want one a plane", len(rails), n.HostNames[a], n.HostNames[b])
			}
			for _, r := range rails {
				from, to := n.Links[r.Injection].To, n.Links[r.Ejection].From
				if plane(from) != plane(to) || from != to &&
					len(n.Routes.Candidates(n.SwitchOf(from), n.SwitchOf(to))) != 2 {
					t.Errorf("rails from %s to %s", n.NodeName(from), n.NodeName(to))
				}
			}
		}
	}
}

// A file is one network exactly if every two hosts have a plane in common.
func TestPlanesMustMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.SliceOfN(rapid.IntRange(1, 3), 2, 7).Draw(t, "planes") // bit k: rail in plane k
		text := twoPlanes(len(planes), func(h, plane int) bool { return planes[h]>>plane&1 == 1 })
		meet := true
		for _, a := range planes {
			for _, b := range planes {
				meet = meet && a&b != 0
			}
		}
		n, err := ReadIBNetDiscover("fabric", strings.NewReader(text))
		if meet != (err == nil) || err != nil && !strings.Contains(err.Error(), "not connected") {
			t.Fatalf("planes %v: %v", planes, err)
		}
		if err == nil {
			checkNetwork(t, n, true)
		}
	})
}
