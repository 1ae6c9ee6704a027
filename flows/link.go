package flows

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// link is an ordered pair of ranks that talk.
type link struct {
	name             string // for error messages
	from, to         int32
	fromHost, toHost int32
	port             int           // of the sender's end; 0 = chosen by the kernel
	local            bool          // both ranks sit on one host: there is no connection
	discard          bool          // the receiver has no receives
	most             int           // unexpected messages that the receiver keeps
	queue            chan message  // to the writer, in order; closed after the last message
	out, in          *net.TCPConn  // the two ends
	closed           atomic.Bool   // the sender has sent all, and closes its end
	received         atomic.Int64  // bytes at the receiver, without headers
	box              *mailbox      // of the receiver
	unexpected       []unexpected  // in the order of arrival; guarded by box.mu
	room             chan struct{} // unexpected has become shorter
}

// message is a send that waits for its connection.
type message struct {
	tag    uint16
	bytes  int64
	sender *mailbox
	send   *request
}

const headerBytes = 12

// payload is what all messages consist of.
var payload [chunk]byte

// write sends the messages of a link, one after the other.
func (j *Job) write(l *link) {
	for {
		select {
		case <-j.ctx.Done():
			return
		case m, more := <-l.queue:
			if !more {
				l.closed.Store(true)
				if err := l.out.CloseWrite(); err != nil {
					j.fail(l, err)
				}
				return
			}
			if err := l.send(m, j.options.UnsentBytes > 0); err != nil {
				j.fail(l, err)
				return
			}
			m.sender.complete(m.send)
		}
	}
}

// send writes a message and, if told, waits until few bytes of the connection are unsent.
func (l *link) send(m message, wait bool) error {
	var header [headerBytes]byte
	binary.LittleEndian.PutUint32(header[:], uint32(m.tag))
	binary.LittleEndian.PutUint64(header[4:], uint64(m.bytes))
	first := min(m.bytes, chunk-headerBytes)
	parts := net.Buffers{header[:], payload[:first]}
	if _, err := parts.WriteTo(l.out); err != nil {
		return err
	}
	for left := m.bytes - first; left > 0; {
		n, err := l.out.Write(payload[:min(left, chunk)])
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	if wait {
		return awaitSent(l.out)
	}
	return nil
}

// read receives the messages of a link, discards their bytes and delivers them.
func (j *Job) read(l *link, buffer int) {
	in := &reader{Reader: bufio.NewReaderSize(l.in, buffer), connection: l.in, together: 1}
	for {
		tag, err := l.receive(in)
		if errors.Is(err, io.EOF) && l.closed.Load() {
			return
		}
		if err != nil {
			j.fail(l, err)
			return
		}
		if l.discard {
			continue
		}
		l.box.deliver(l, tag)
		if l.box.awaitRoom(j.ctx, l) != nil {
			return
		}
	}
}

// receive reads a message and counts its bytes as they come. The error is io.EOF between
// messages, io.ErrUnexpectedEOF within one.
func (l *link) receive(in *reader) (tag uint16, err error) {
	var header [headerBytes]byte
	in.expect(headerBytes)
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return 0, err
	}
	number, left := binary.LittleEndian.Uint32(header[:]), int64(binary.LittleEndian.Uint64(header[4:]))
	if number >= 1<<16 || left < 0 {
		return 0, fmt.Errorf("a header with tag %d and %d bytes", number, left)
	}
	for left > 0 {
		in.expect(left)
		if _, err := in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		n, _ := in.Discard(int(min(left, int64(in.Buffered()))))
		l.received.Add(int64(n))
		left -= int64(n)
	}
	return uint16(number), nil
}

// reader reads a connection, and is woken for many bytes together (readTogether).
type reader struct {
	*bufio.Reader
	connection *net.TCPConn
	together   int // bytes, for which the kernel wakes the reader
}

// expect tells the kernel that at least so many bytes will come.
func (r *reader) expect(bytes int64) {
	together := int(min(bytes, readTogether))
	if bytes < readTogether/4 {
		together = 1
	}
	if r.Buffered() == 0 && together != r.together {
		r.together = together
		wakeFor(r.connection, together)
	}
}
