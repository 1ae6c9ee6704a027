package flows

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// helloBytes is what a connection begins with: the job's token, sender and receiver.
const helloBytes = 16

// connect makes the connections of all links. Listeners are closed afterwards.
func (j *Job) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, j.options.connectTimeout())
	defer cancel()
	if err := j.listen(ctx); err != nil {
		return err
	}
	return j.dial(ctx)
}

// listen opens a listener on every host that a link ends at.
func (j *Job) listen(ctx context.Context) error {
	j.listeners = make([]net.Listener, len(j.hosts))
	config := net.ListenConfig{Control: j.options.control}
	config.SetMultipathTCP(false)
	for _, l := range j.links {
		if l.local || j.listeners[l.toHost] != nil {
			continue
		}
		host := &j.hosts[l.toHost]
		err := host.inside(func() (err error) {
			j.listeners[l.toHost], err = config.Listen(ctx, "tcp", net.JoinHostPort(host.Address,
				strconv.Itoa(j.options.FirstPort)))
			return err
		})
		if err != nil {
			return fmt.Errorf("host %s cannot listen: %w", host.Name, err)
		}
	}
	return nil
}

// dial connects all links to their listeners, and waits until both ends are known.
func (j *Job) dial(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	a := newArrivals(j.token, j.links)
	defer a.accepting.Wait()
	defer j.closeListeners()
	defer cancel()
	for _, listener := range j.listeners {
		if listener != nil {
			a.accepting.Go(func() { a.accept(ctx, listener) })
		}
	}
	group, dialing := errgroup.WithContext(ctx)
	group.SetLimit(dialsAtOnce)
	for _, l := range j.links {
		if !l.local {
			group.Go(func() error { return j.dialLink(dialing, l) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	select {
	case <-a.all:
		return nil
	case <-ctx.Done():
		return a.missingError(ctx.Err())
	}
}

// dialLink makes the sender's end of a link and names the link to the receiver.
func (j *Job) dialLink(ctx context.Context, l *link) error {
	host := &j.hosts[l.fromHost]
	dialer := net.Dialer{Control: j.options.control, LocalAddr: &net.TCPAddr{IP: net.ParseIP(host.Address),
		Port: l.port}}
	dialer.SetMultipathTCP(false)
	err := host.inside(func() error {
		c, err := dialer.DialContext(ctx, "tcp", j.listeners[l.toHost].Addr().String())
		if err == nil {
			l.out = c.(*net.TCPConn)
		}
		return err
	})
	if err == nil {
		_, err = l.out.Write(hello(j.token, l.from, l.to))
	}
	if err != nil {
		return fmt.Errorf("%s: cannot connect: %w", l.name, err)
	}
	return nil
}

// hello is what a connection begins with.
func hello(token uint64, from, to int32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, token)
	b = binary.LittleEndian.AppendUint32(b, uint32(from))
	return binary.LittleEndian.AppendUint32(b, uint32(to))
}

// arrivals gives accepted connections to their links.
type arrivals struct {
	token     uint64
	accepting sync.WaitGroup
	mu        sync.Mutex
	missing   map[[2]int32]*link // without a receiver's end, by sender and receiver
	all       chan struct{}      // closed when none is missing
}

func newArrivals(token uint64, links []*link) *arrivals {
	a := &arrivals{token: token, missing: map[[2]int32]*link{}, all: make(chan struct{})}
	for _, l := range links {
		if !l.local {
			a.missing[[2]int32{l.from, l.to}] = l
		}
	}
	if len(a.missing) == 0 {
		close(a.all)
	}
	return a
}

// accept takes connections until the listener is closed.
func (a *arrivals) accept(ctx context.Context, listener net.Listener) {
	for {
		c, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			if err == nil {
				c.Close()
			}
			return
		}
		if err != nil { // such as too many open files: the dials tell
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		a.accepting.Go(func() {
			if !a.match(ctx, c.(*net.TCPConn)) {
				c.Close()
			}
		})
	}
}

// match reads what a connection begins with and says whether it belongs to a link.
func (a *arrivals) match(ctx context.Context, c *net.TCPConn) bool {
	stop := context.AfterFunc(ctx, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	var b [helloBytes]byte
	_, err := io.ReadFull(c, b[:])
	if !stop() || err != nil || binary.LittleEndian.Uint64(b[:]) != a.token {
		return false
	}
	pair := [2]int32{int32(binary.LittleEndian.Uint32(b[8:])), int32(binary.LittleEndian.Uint32(b[12:]))}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.missing[pair]
	if l == nil {
		return false
	}
	l.in = c
	if delete(a.missing, pair); len(a.missing) == 0 {
		close(a.all)
	}
	return true
}

// missingError names a link whose connection has not arrived.
func (a *arrivals) missingError(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.missing {
		return fmt.Errorf("%s: the receiver has not got the connection (%d are missing): %w",
			l.name, len(a.missing), err)
	}
	return err
}

// closeListeners closes the listeners of all hosts.
func (j *Job) closeListeners() {
	for _, listener := range j.listeners {
		if listener != nil {
			listener.Close()
		}
	}
}
