// Package flows plays jobs over plain TCP: the competitors of a real network.
//
// A job is a workload.Program whose ranks sit on hosts. Every rank plays its operations over
// and over until the context ends, or Options.Steps times. One process plays all ranks: a
// Host says how to make a socket in its network, such as in a network namespace.
//
//	job, err := flows.Start(ctx, program, hosts, place, flows.DefaultOptions())
//	before := job.Snapshot()
//	// ... what is measured beside this job ...
//	rate := job.Snapshot().BytesPerSecond(before)
//	cancel()
//	err = job.Wait()
//
// # Messages
//
// There is one TCP connection for each ordered pair of ranks that sit on different hosts and
// talk. A connection carries data in one direction, so that each direction has a path of its
// own under ECMP, as each ordered pair of ranks has with the simulator's routing "hash". All
// connections are made before the first rank starts. A new job draws new ports, and so new
// paths. Ranks of one host exchange through memory.
//
// A message is a header of 12 bytes (tag and length) and its bytes, which the receiver
// discards. Receives match by peer and tag, in the order of arrival. A message arrives with
// its last byte. A receiver keeps of an unexpected message the tag only.
//
// A send is done when the kernel has its last byte and few bytes of the connection are left
// to be sent (Options.UnsentBytes; Linux only, elsewhere the first condition counts). This
// is close to the simulator's end of a send, when the last byte has left the host. There is
// no rendezvous: a send never waits for its receive. But a receiver reads no more of a
// connection while it keeps a step's messages and unexpectedMost others.
//
// A step of a rank ends when all its requests are done. Ranks do not wait for each other at
// the end of a step. A receive with AnySource may so take a message of a later step of a
// fast rank, as it may in MPI.
package flows

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"remap/workload"
)

// Host is where ranks sit.
type Host struct {
	// Name is for error messages.
	Name string

	// Address is the IP address on which the host listens and from which it connects.
	Address string

	// Inside calls a function in the network of the host and returns its error. In a network
	// namespace it locks the thread, enters the namespace, and leaves it after the call. The
	// function makes sockets in the calling goroutine only. nil = the network of this process.
	Inside func(func() error) error
}

// inside calls a function in the network of the host.
func (h *Host) inside(f func() error) error {
	if h.Inside == nil {
		return f()
	}
	return h.Inside(f)
}

// Job is a job that runs.
type Job struct {
	options   Options
	hosts     []Host
	token     uint64 // of this job's connections
	players   []*player
	links     []*link // of all pairs of ranks that talk
	listeners []net.Listener
	ports     int // on the host that has most

	ctx    context.Context // ends with the job
	cancel context.CancelFunc
	group  sync.WaitGroup // all goroutines of the job
	done   chan struct{}  // closed at the end
	once   sync.Once
	err    error // the first connection that broke
}

// Start connects the ranks of a program and lets them play. Rank r sits on hosts[place[r]].
// The job ends with the context, after Options.Duration, after Options.Steps steps of every
// rank, or when a connection breaks. An error names what is wrong with the program, or the
// pair of ranks that cannot be connected; nothing runs then.
func Start(ctx context.Context, program *workload.Program, hosts []Host, place []int32,
	o Options) (*Job, error) {

	j, err := newJob(program, hosts, place, o)
	if err != nil {
		return nil, err
	}
	if err := j.rehearse(); err != nil {
		return nil, err
	}
	if err := j.connect(ctx); err != nil {
		j.closeConnections()
		return nil, err
	}
	j.run(ctx)
	return j, nil
}

// run starts the goroutines of the job.
func (j *Job) run(ctx context.Context) {
	if j.options.Duration > 0 {
		j.ctx, j.cancel = context.WithTimeout(ctx, j.options.Duration)
	} else {
		j.ctx, j.cancel = context.WithCancel(ctx)
	}
	closed := make(chan struct{})
	context.AfterFunc(j.ctx, func() {
		j.closeConnections()
		close(closed)
	})
	buffer := j.readBuffer()
	for _, l := range j.links {
		if !l.local {
			j.group.Go(func() { j.write(l) })
			j.group.Go(func() { j.read(l, buffer) })
		}
	}
	for _, p := range j.players {
		j.group.Go(func() { p.play(j.ctx) })
	}
	go func() {
		j.group.Wait()
		j.cancel()
		<-closed
		close(j.done)
	}()
}

// newJob checks a program and lays out its ranks and pairs.
func newJob(program *workload.Program, hosts []Host, place []int32, o Options) (*Job, error) {
	if err := check(program, hosts, place, o); err != nil {
		return nil, err
	}
	j := &Job{options: o, hosts: hosts, done: make(chan struct{})}
	var token [8]byte
	rand.Read(token[:])
	j.token = binary.LittleEndian.Uint64(token[:])
	for r := range int32(program.Ranks()) {
		j.players = append(j.players, newPlayer(r, program.RankOps(r), o))
	}
	for r := range int32(program.Ranks()) {
		messages := map[int32]int{} // a step, by receiver
		for _, op := range program.RankOps(r) {
			if !op.Kind.IsSend() {
				continue
			}
			if messages[op.Peer]++; messages[op.Peer] == 1 {
				j.link(r, op.Peer, place)
			}
		}
		for peer, l := range j.players[r].links {
			l.most = messages[peer] + unexpectedMost
		}
	}
	return j, j.number()
}

// number gives the links their ports.
func (j *Job) number() error {
	used := make([]int, len(j.hosts))
	for _, l := range j.links {
		if l.local {
			continue
		}
		used[l.fromHost]++
		j.ports = max(j.ports, 1+used[l.fromHost])
		if j.options.FirstPort == 0 {
			continue
		}
		if l.port = j.options.FirstPort + used[l.fromHost]; l.port > math.MaxUint16 {
			return fmt.Errorf("%s: no port is left above %d", l.name, j.options.FirstPort)
		}
	}
	return nil
}

// Ports is how many ports the job has on the host that has most.
func (j *Job) Ports() int { return j.ports }

// link adds the pair of a sender and a receiver.
func (j *Job) link(from, to int32, place []int32) {
	l := &link{from: from, to: to, fromHost: place[from], toHost: place[to], local: place[from] == place[to],
		box: &j.players[to].box, discard: !j.players[to].receives, room: make(chan struct{}, 1),
		queue: make(chan message, queueLength)}
	l.name = fmt.Sprintf("rank %d on %s to rank %d on %s", from, j.hosts[l.fromHost].Name,
		to, j.hosts[l.toHost].Name)
	j.links = append(j.links, l)
	j.players[from].links[to] = l
	l.box.links = append(l.box.links, l)
	l.box.bySender[from] = l
}

// Wait waits for the end of the job. The error names the first connection that broke. It is
// nil when the job ended with its context, its duration or its steps. After Wait no
// goroutine, listener or connection of the job is left.
func (j *Job) Wait() error {
	<-j.done
	return j.err
}

// fail ends the job because a connection broke, unless the job has ended.
func (j *Job) fail(l *link, err error) {
	if j.ctx.Err() != nil {
		return
	}
	j.once.Do(func() { j.err = fmt.Errorf("%s: the connection broke: %w", l.name, err) })
	j.cancel()
}

// closeConnections ends all connections at once: bytes that the kernel has not sent are
// dropped, so that they do not go on to disturb others.
func (j *Job) closeConnections() {
	j.closeListeners()
	for _, l := range j.links {
		for _, c := range []*net.TCPConn{l.out, l.in} {
			if c != nil {
				c.SetLinger(0)
				c.Close()
			}
		}
	}
}

// readBuffer is the size of the buffer of a connection's reader.
func (j *Job) readBuffer() int {
	return min(max(readMemory/max(1, len(j.links)), readLeast), chunk)
}

// connectTimeout is the longest time that the connections take to be made.
func (o Options) connectTimeout() time.Duration {
	if o.ConnectTimeout > 0 {
		return o.ConnectTimeout
	}
	return connectTimeout
}
