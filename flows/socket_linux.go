package flows

import (
	"fmt"
	"net"
	"syscall"
	"unsafe"
)

// tcpNotSentLowAt is TCP_NOTSENT_LOWAT of linux/tcp.h.
const tcpNotSentLowAt = 25

// control sets the options of a socket before it listens or connects.
func (o Options) control(_, _ string, c syscall.RawConn) error {
	var err error
	set := func(fd int) {
		for _, option := range []struct {
			name                string
			level, option, want int
		}{
			{"send buffer", syscall.SOL_SOCKET, syscall.SO_SNDBUF, o.SendBuffer},
			{"receive buffer", syscall.SOL_SOCKET, syscall.SO_RCVBUF, o.ReceiveBuffer},
			{"unsent bytes", syscall.IPPROTO_TCP, tcpNotSentLowAt, o.UnsentBytes},
		} {
			if option.want == 0 {
				continue
			}
			if err = syscall.SetsockoptInt(fd, option.level, option.option, option.want); err != nil {
				err = fmt.Errorf("%s %d: %w", option.name, option.want, err)
				return
			}
		}
		if o.CongestionControl == "" {
			return
		}
		err = syscall.SetsockoptString(fd, syscall.IPPROTO_TCP, syscall.TCP_CONGESTION, o.CongestionControl)
		if err != nil {
			err = fmt.Errorf("congestion control %s (/proc/sys/net/ipv4/tcp_available_congestion_control "+
				"has the names): %w", o.CongestionControl, err)
		}
	}
	if failed := c.Control(func(fd uintptr) { set(int(fd)) }); failed != nil {
		return failed
	}
	return err
}

// pollDescriptor is struct pollfd of poll(2).
type pollDescriptor struct {
	fd              int32
	events, revents int16
}

const pollOut = 4 // POLLOUT

// awaitSent waits until less than half of Options.UnsentBytes are not yet sent: the kernel
// calls a socket writable then. The call of ppoll makes the kernel report the change to Go's
// poller, which reports only changes that somebody has asked for.
func awaitSent(c *net.TCPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Write(func(fd uintptr) bool {
		d := pollDescriptor{fd: int32(fd), events: pollOut}
		var now syscall.Timespec
		ready, _, failed := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&d)), 1,
			uintptr(unsafe.Pointer(&now)), 0, 0, 0)
		return failed != 0 && failed != syscall.EINTR || failed == 0 && ready > 0
	})
}

// wakeFor sets how many bytes have to arrive before a reader is woken (SO_RCVLOWAT). The kernel
// wakes it earlier where its buffer has no room for them, and at the end of the connection.
// An error leaves the reader as it is, woken more often.
func wakeFor(c *net.TCPConn, bytes int) {
	if raw, err := c.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes)
		})
	}
}
