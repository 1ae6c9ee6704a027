package flows

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A job with a first port has the same connections whenever it is started, also at once after the one
// before was ended in the middle of its messages. Two jobs beside each other have ports of their own.
func TestFirstPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("hosts need addresses of their own on the loopback device: Linux only")
	}
	p := pattern(t, "ring:5,bytes=1000000")
	place := []int32{0, 1, 2, 0, 1}
	var first []string
	for turn := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		o := DefaultOptions()
		o.FirstPort = 21300
		a := start(t, ctx, p, place, o)
		o.FirstPort += a.Ports()
		b := start(t, ctx, p, place, o)
		all := append(endpoints(a), endpoints(b)...)
		if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != 2*5 {
			t.Fatalf("connections %v", all)
		}
		if turn == 0 {
			first = all
		} else if !slices.Equal(all, first) {
			t.Fatalf("start %d: connections %v, before %v", turn, all, first)
		}
		cancel()
		for _, j := range []*Job{a, b} {
			if err := j.Wait(); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := DefaultOptions()
	o.FirstPort = 65535
	if _, err := Start(t.Context(), p, loopback(5), place, o); err == nil ||
		!strings.Contains(err.Error(), "no port is left above 65535") {
		t.Fatal(err)
	}
}

func endpoints(j *Job) (all []string) {
	for _, l := range j.links {
		if !l.local {
			all = append(all, fmt.Sprint(l.out.LocalAddr(), " ", l.out.RemoteAddr()))
		}
	}
	return all
}
