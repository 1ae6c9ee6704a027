package testbed

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"remap/internal/testkit/real"
)

// raise brings a testbed of its own up for a test, and takes it away at its end. It skips the test
// where there is none to be had.
func raise(t *testing.T, name, spec string, change func(*Options)) *Network {
	t.Helper()
	real.Need(t)
	p := planned(t, spec, func(o *Options) {
		o.Name = name
		if change != nil {
			change(o)
		}
	})
	Down(name) // of a test that was killed
	n, err := Up(t.Context(), p)
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.Close()
		if _, err := Down(name); err != nil {
			t.Error(err)
		}
		if left, err := spaces(name); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
	return n
}

// outside is what the machine itself has: devices, addresses and routes.
func outside(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	devices, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		addresses, err := d.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(d.Name)
		for _, a := range addresses {
			text.WriteString(" " + a.String())
		}
		text.WriteByte('\n')
	}
	for _, file := range []string{"/proc/net/route", "/proc/sys/net/ipv4/ip_forward"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	return text.String()
}

// connect makes a TCP connection between two hosts.
func connect(t *testing.T, n *Network, from, to int32) (out, in net.Conn) {
	t.Helper()
	var listener net.Listener
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(n.Inside(to, func() (err error) {
		listener, err = net.Listen("tcp4", n.Plan.Nodes[to].Address.String()+":0")
		return err
	}))
	defer listener.Close()
	must(n.Inside(from, func() (err error) {
		out, err = net.DialTimeout("tcp4", listener.Addr().String(), 10*time.Second)
		return err
	}))
	in, err := listener.Accept()
	must(err)
	t.Cleanup(func() { out.Close(); in.Close() })
	return out, in
}

// Nothing of a testbed is seen outside of its namespaces, every host reaches every other, and what
// arrives is what the topology's rate allows.
func TestRealNetwork(t *testing.T) {
	before := outside(t)
	for _, c := range []struct{ name, spec string }{
		{"test-tree", "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=4,gbps=0.02"},
		{"test-torus", "torus:3x4,gbps=0.02"},
		{"test-dragonfly", "dragonfly:groups=3,routers=2,hosts=2,global=1,gbps=0.02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := raise(t, c.name, c.spec, nil)
			if now := outside(t); now != before {
				t.Errorf("outside of the namespaces there was\n%s\nand now is\n%s", before, now)
			}
			hosts := int32(n.Plan.Topology.Hosts())
			for from := range hosts {
				for to := range hosts {
					if from != to {
						out, in := connect(t, n, from, to)
						exchange(t, out, in)
					}
				}
			}
			again, err := Open(c.name)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			checkRate(t, again, 0, hosts-1)
		})
	}
	if now := outside(t); now != before {
		t.Errorf("outside of the namespaces there was\n%s\nand now is\n%s", before, now)
	}
}

// exchange sends a byte in each direction.
func exchange(t *testing.T, a, b net.Conn) {
	t.Helper()
	for _, c := range []struct{ from, to net.Conn }{{a, b}, {b, a}} {
		c.from.SetDeadline(time.Now().Add(10 * time.Second))
		c.to.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.from.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c.to, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

// checkRate sends for a while. The data that arrives is at the rate of the link, at most: a busy
// machine may be slow. The counters of the first and the last port agree with it.
func checkRate(t *testing.T, n *Network, from, to int32) {
	t.Helper()
	out, in := connect(t, n, from, to)
	const length = 4 << 20
	before, err := n.Counters()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	var sender sync.WaitGroup
	sender.Go(func() { out.Write(make([]byte, length)) })
	if _, err := io.CopyN(io.Discard, in, length); err != nil {
		t.Fatal(err)
	}
	sender.Wait()
	rate := length / time.Since(begin).Seconds()
	after, err := n.Counters()
	if err != nil {
		t.Fatal(err)
	}
	link := n.Plan.Topology.Links[n.Plan.Topology.Ejection(to)[0]]
	if share := rate / link.BytesPerSecond; share > 1.02 || share < 0.5 {
		t.Errorf("%.0f bytes a second arrive over a link of %.0f", rate, link.BytesPerSecond)
	}
	first, _ := n.Plan.Topology.Out(from)
	last := n.Plan.Topology.Ejection(to)[0]
	for _, l := range []int32{first, last} {
		wire := float64(after[l].Bytes-before[l].Bytes) * n.Plan.Options.payload()
		if wire < length || wire > 1.03*length {
			t.Errorf("port %s of %s counts %.0f bytes of data, %d were sent", n.Plan.Ports[l].Device,
				n.Plan.Nodes[n.Plan.Ports[l].Node].Name, wire, length)
		}
	}
}

// Connections spread over all paths of a three-level tree, and another seed draws others.
func TestRealPaths(t *testing.T) {
	n := raise(t, "test-paths", "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=4,"+
		"gbps=0.1", nil)
	for _, seed := range []uint32{1, 2} {
		if err := n.Reseed(seed); err != nil {
			t.Fatal(err)
		}
		before, err := n.Counters()
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			out, in := connect(t, n, 0, int32(n.Plan.Topology.Hosts()-1))
			exchange(t, out, in)
		}
		after, err := n.Counters()
		if err != nil {
			t.Fatal(err)
		}
		// From leaf switch 0 up, and from both aggregation switches of its pod to the cores.
		for l, port := range n.Plan.Ports {
			from, to := n.Plan.Nodes[port.Node].Name, n.Plan.Nodes[port.Peer].Name
			up := from == "leaf0" && strings.HasPrefix(to, "pod0-agg") ||
				strings.HasPrefix(from, "pod0-agg") && strings.HasPrefix(to, "core")
			if up && after[l].Packets == before[l].Packets {
				t.Errorf("seed %d: of 60 connections none took %s to %s", seed, from, to)
			}
		}
	}
}

// Watch sees the queue that two senders make before one receiver, and its files name every link.
func TestRealWatch(t *testing.T) {
	n := raise(t, "test-watch", "fattree:nodes-per-leaf=3,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0,"+
		"gbps=0.02", nil)
	for from := range int32(2) {
		out, in := connect(t, n, from, 2)
		go func() { out.Write(make([]byte, 64<<20)) }() // until the connection is closed
		go io.Copy(io.Discard, in)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	m, err := n.Watch(ctx, 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	crowded := n.Plan.Topology.Ejection(2)[0]
	if _, busy := m.Sent(int(crowded)); busy < 0.5 || m.Queued[crowded] < m.Samples/2 || m.Most[crowded] == 0 {
		t.Errorf("the link of the receiver: busy %.2f, queued in %d of %d samples, at most %d bytes", busy,
			m.Queued[crowded], m.Samples, m.Most[crowded])
	}
	var links, snapshots strings.Builder
	if err := errors.Join(m.WriteLinks(&links, "csv"), m.WriteSnapshots(&snapshots)); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(links.String(), "\n"); lines != 1+len(n.Plan.Ports) {
		t.Errorf("%d lines of links for %d ports", lines, len(n.Plan.Ports))
	}
	if lines := strings.Count(snapshots.String(), "\n"); lines != 1+2*len(n.Plan.Ports) {
		t.Errorf("%d lines of snapshots for %d ports", lines, len(n.Plan.Ports))
	}
}

// Down ends what runs in the namespaces, also what was started by what was started.
func TestRealDownEndsProcesses(t *testing.T) {
	n := raise(t, "test-down", "torus:2x2,gbps=0.02", nil)
	command := exec.Command("sh", "-c", "sleep 600 & sleep 600")
	if err := n.Inside(1, command.Start); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	if _, err := Open("test-none"); err == nil || !strings.Contains(err.Error(), "no testbed test-none is up") {
		t.Errorf("a testbed that is not up: %v", err)
	}
	if _, err := Up(t.Context(), n.Plan); err == nil || !strings.Contains(err.Error(), "is up") {
		t.Errorf("up twice: %v", err)
	}
	if count, err := Down("test-down"); err != nil || count != len(n.Plan.Nodes)+1 {
		t.Errorf("%d namespaces taken away: %v", count, err)
	}
	if err := <-ended; err == nil {
		t.Error("the process in the namespace ended well")
	}
}
