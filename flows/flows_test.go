package flows

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/workload"
)

// loopback are n hosts with an address each.
func loopback(n int) []Host {
	hosts := make([]Host, n)
	for i := range hosts {
		hosts[i] = Host{Name: fmt.Sprintf("n%d", i), Address: "127.0.0.1"}
		if runtime.GOOS == "linux" {
			hosts[i].Address = fmt.Sprintf("127.0.0.%d", i+1)
		}
	}
	return hosts
}

// block places ranks on hosts in order.
func block(ranks, perHost int) (place []int32) {
	for r := range ranks {
		place = append(place, int32(r/perHost))
	}
	return place
}

func pattern(t testing.TB, text string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start starts a job with a rank a host unless a place is given.
func start(t rapid.TB, ctx context.Context, p *workload.Program, place []int32, o Options) *Job {
	t.Helper()
	if place == nil {
		place = block(p.Ranks(), 1)
	}
	j, err := Start(ctx, p, loopback(p.Ranks()), place, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// checkBytes compares the bytes of every pair with so many steps of a program.
func checkBytes(t rapid.TB, j *Job, p *workload.Program, place []int32, steps int64) {
	t.Helper()
	traffic, err := p.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	pairs := j.Pairs()
	if len(pairs) != len(traffic.Bytes) {
		t.Errorf("%d pairs, want %d", len(pairs), len(traffic.Bytes))
	}
	want := Snapshot{Ranks: make([]RankCounts, p.Ranks())}
	for _, pair := range pairs {
		bytes := traffic.Bytes[traffic.Find(pair.From, pair.To)] * steps
		if pair.Bytes != bytes {
			t.Errorf("%d bytes from %d to %d, want %d", pair.Bytes, pair.From, pair.To, bytes)
		}
		if local := place[pair.From] == place[pair.To]; local {
			want.Ranks[pair.To].Local += bytes
		} else {
			want.Ranks[pair.From].Sent += bytes
			want.Ranks[pair.To].Received += bytes
		}
	}
	got := j.Snapshot()
	for r := range want.Ranks {
		if len(p.RankOps(int32(r))) > 0 {
			want.Ranks[r].Steps = steps
		}
		if got.Ranks[r] != want.Ranks[r] {
			t.Errorf("rank %d: %+v, want %+v", r, got.Ranks[r], want.Ranks[r])
		}
	}
}

// TestPatterns plays patterns for three steps, with one and with two ranks a host.
func TestPatterns(t *testing.T) {
	for _, text := range []string{
		"uniform:8,rounds=5,bytes=200000", "ring:6,rounds=2", "stencil2d:4x2,wait=true,sends=nonblocking",
		"stencil2d:4x2,sends=nonblocking", "stencil3d7:2x2x2,wait=true",
		"allreduce:6,algorithm=ring,bytes=100000", "allreduce:8,algorithm=rabenseifner",
		"hotspot:6,servers=2,traffic=both,rounds=3",
		"alltoall:6,algorithm=pairwise,bytes=3000", "barrier:5", "nas-cg:4,class=A,bytes=5000", "uniform:1",
		"reduce-naive:6,bytes=10000,rounds=4", "ring:4,compute-ns=1000000", "geometric:12,wait=true",
	} {
		for perHost := 1; perHost <= 2; perHost++ {
			t.Run(fmt.Sprintf("%s/%d", text, perHost), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				p, o := pattern(t, text), DefaultOptions()
				o.Steps, o.HostBytesPerSecond = 3, 1e9
				place := block(p.Ranks(), perHost)
				j := start(t, ctx, p, place, o)
				if err := j.Wait(); err != nil {
					t.Fatal(err)
				}
				if ctx.Err() != nil {
					t.Fatal("the job did not end: ranks wait for ever")
				}
				checkBytes(t, j, p, place, 3)
			})
		}
	}
}

// TestSmallBuffers: messages that are larger than the kernel's buffers arrive.
func TestSmallBuffers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, o := pattern(t, "alltoall:3,algorithm=pairwise,bytes=100000"), DefaultOptions()
	o.Steps, o.SendBuffer, o.ReceiveBuffer = 2, 4096, 4096
	j := start(t, ctx, p, nil, o)
	if err := j.Wait(); err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
	checkBytes(t, j, p, block(3, 1), 2)
}

// TestEndless: an endless job goes on until its context ends, and its throughput is that of
// its counters.
func TestEndless(t *testing.T) {
	for _, text := range []string{"uniform:6,rounds=4", "ring:5", "hotspot:5,traffic=both",
		"alltoall:5,bytes=500", "stencil2d:2x2,wait=true"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := DefaultOptions()
		o.HostBytesPerSecond = 1e9
		j := start(t, ctx, pattern(t, text), nil, o)
		first := j.Snapshot()
		for deadline := time.Now().Add(time.Minute); j.Snapshot().Steps() < 5; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d steps in a minute", text, j.Snapshot().Steps())
			}
			time.Sleep(time.Millisecond)
		}
		second := j.Snapshot()
		cancel()
		if err := j.Wait(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		bytes, rate := float64(second.Received()-first.Received()), second.BytesPerSecond(first)
		if want := bytes / second.Time.Sub(first.Time).Seconds(); bytes == 0 || rate != want {
			t.Errorf("%s: %g bytes a second, want %g", text, rate, want)
		}
	}
}

// TestStops: a job ends within a second of its context or its duration, and leaves no
// goroutine, also where sends wait for a receiver that does not read.
func TestStops(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, text := range []string{"alltoall:8", "stencil2d:4x2,wait=true",
		"ring:2,compute-ns=3600000000000", "slow"} {
		p := slowReceiver(t, 1<<20)
		if text != "slow" {
			p = pattern(t, text)
		}
		o := DefaultOptions()
		o.HostBytesPerSecond, o.Duration = 1e9, 300*time.Millisecond
		began := time.Now()
		j := start(t, t.Context(), p, nil, o)
		if err := j.Wait(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		// It takes some milliseconds; on a busy machine, more.
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: ended after %v", text, took)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	j, err := Start(ended, pattern(t, "ring:4"), loopback(4), block(4, 1), DefaultOptions())
	if err == nil {
		t.Errorf("a job starts after the end of its context: %v", j.Wait())
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			buffer := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before,
				buffer[:runtime.Stack(buffer, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// slowReceiver is a program whose rank 1 computes for an hour before each receive.
func slowReceiver(t testing.TB, bytes int64) *workload.Program {
	b := workload.NewBuilder(2, 0)
	b.Isend(1, bytes, 0)
	b.EndRank()
	b.Compute(int64(time.Hour))
	b.Receive(0, bytes, 0)
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSlowReceiver: a receiver that does not receive stops its sender, so that neither keeps
// ever more messages.
func TestSlowReceiver(t *testing.T) {
	for _, place := range [][]int32{{0, 1}, {0, 0}} {
		ctx, cancel := context.WithCancel(t.Context())
		o := DefaultOptions()
		o.SendBuffer, o.ReceiveBuffer = 8192, 8192
		j := start(t, ctx, slowReceiver(t, 100), place, o)
		stopped := func() bool {
			steps := j.players[0].done.Load()
			time.Sleep(300 * time.Millisecond)
			return steps > 0 && steps == j.players[0].done.Load()
		}
		for deadline := time.Now().Add(time.Minute); !stopped(); {
			if time.Now().After(deadline) {
				t.Fatal("the sender goes on")
			}
		}
		j.players[1].box.mu.Lock()
		if kept, most := len(j.links[0].unexpected), 1+unexpectedMost; kept != most {
			t.Errorf("place %v: %d messages are kept, want %d", place, kept, most)
		}
		j.players[1].box.mu.Unlock()
		cancel()
		if err := j.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// TestRefused: a host that refuses connections is an error that names the pair.
func TestRefused(t *testing.T) {
	p := pattern(t, "ring:3")
	j, err := newJob(p, loopback(3), block(3, 1), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer j.closeConnections()
	j.listeners[1].Close()
	err = j.dial(t.Context())
	want := "rank 2 on n2 to rank 1 on n1: cannot connect"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestStrangers: connections that are not the job's are closed, and do no harm.
func TestStrangers(t *testing.T) {
	p, o := pattern(t, "ring:3"), DefaultOptions()
	o.Steps = 2
	j, err := newJob(p, loopback(3), block(3, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	var strangers []net.Conn
	for _, says := range [][]byte{nil, {1, 2, 3}, hello(j.token+1, 2, 1), hello(j.token, 0, 1),
		hello(j.token, -1, 9)} {
		c, err := net.Dial("tcp", j.listeners[1].Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.Write(says)
		strangers = append(strangers, c)
	}
	if err := j.dial(t.Context()); err != nil {
		t.Fatal(err)
	}
	j.run(t.Context())
	if err := j.Wait(); err != nil {
		t.Fatal(err)
	}
	checkBytes(t, j, p, block(3, 1), 2)
	for i, c := range strangers {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("stranger %d: %v, want the connection closed", i, err)
		}
	}
}

// TestBroken: a connection that breaks ends the job with an error that names the pair, also
// when nothing is sent.
func TestBroken(t *testing.T) {
	for text, breaks := range map[string]func(l *link) error{
		"ring:3":                            func(l *link) error { return l.in.Close() },
		"ring:3,compute-ns=3600000000000":   func(l *link) error { return l.out.CloseWrite() },
		"ring:3,bytes=10,compute-ns=100000": func(l *link) error { return l.out.Close() },
	} {
		j := start(t, t.Context(), pattern(t, text), nil, DefaultOptions())
		if err := breaks(j.players[2].links[1]); err != nil {
			t.Fatal(err)
		}
		err := j.Wait()
		if want := "rank 2 on n2 to rank 1 on n1: the connection broke"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
