package flows

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// unsent is the number of bytes of a connection that the kernel has and has not sent
// (SIOCOUTQNSD of linux/sockios.h).
func unsent(t *testing.T, c *net.TCPConn) int {
	const siocOutQNSD = 0x894b
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int32
	raw.Control(func(fd uintptr) {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, fd, siocOutQNSD,
			uintptr(unsafe.Pointer(&n))); failed != 0 {
			t.Error(failed)
		}
	})
	return int(n)
}

// TestSendEnds: a send ends when less than half of UnsentBytes are not yet sent, whatever
// the kernel's buffer holds, and not before.
func TestSendEnds(t *testing.T) {
	o := DefaultOptions()
	o.ReceiveBuffer = 4096
	j, err := newJob(program(nil, nil), loopback(2), []int32{0, 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	j.link(0, 1, []int32{0, 1})
	if err := j.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer j.closeConnections()
	l := j.links[0]
	l.in.SetReadDeadline(time.Now().Add(time.Minute))
	ended := make(chan error, 1)
	go func() {
		// The kernel takes the second message at once: it leaves the first with few bytes unsent.
		ended <- errors.Join(l.send(message{bytes: 200000}, true), l.send(message{bytes: 14000}, true))
	}()
	select {
	case err := <-ended:
		t.Fatalf("the send has ended before the receiver has read anything: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	buffer := make([]byte, 1000)
	for {
		select {
		case err := <-ended:
			if n := unsent(t, l.out); err != nil || n >= unsentBytes/2 {
				t.Errorf("%v, %d bytes are unsent at the end of the send", err, n)
			}
			return
		case <-time.After(time.Millisecond): // time for the send to end before more is read
			if _, err := l.in.Read(buffer); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSocketOptions: the kernel has what the options say.
func TestSocketOptions(t *testing.T) {
	available, err := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
	if err != nil || !strings.Contains(string(available), "reno") {
		t.Skipf("skipped: the kernel offers %q for congestion control, not reno", available)
	}
	o := DefaultOptions()
	o.SendBuffer, o.ReceiveBuffer, o.CongestionControl = 20000, 30000, "reno"
	j, err := newJob(pattern(t, "ring:2"), loopback(2), []int32{0, 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer j.closeConnections()
	get := func(c *net.TCPConn, level, option int) (value int) {
		raw, err := c.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, option) })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	reno := int('r') | int('e')<<8 | int('n')<<16 | int('o')<<24
	for _, l := range j.links {
		for _, c := range []*net.TCPConn{l.out, l.in} {
			sending, receiving := get(c, syscall.SOL_SOCKET, syscall.SO_SNDBUF), get(c, syscall.SOL_SOCKET,
				syscall.SO_RCVBUF)
			if sending != 40000 || receiving != 60000 { // Linux doubles them for its own needs
				t.Errorf("buffers of %d and %d bytes, want 40000 and 60000", sending, receiving)
			}
			if got := get(c, syscall.IPPROTO_TCP, syscall.TCP_CONGESTION); got != reno {
				t.Errorf("congestion control %x, want reno", got)
			}
			if got := get(c, syscall.IPPROTO_TCP, tcpNotSentLowAt); got != unsentBytes {
				t.Errorf("%d unsent bytes, want %d", got, unsentBytes)
			}
		}
	}
	o.CongestionControl = "none"
	_, err = Start(t.Context(), pattern(t, "ring:2"), loopback(2), []int32{0, 1}, o)
	if err == nil || !strings.Contains(err.Error(), "congestion control none") {
		t.Errorf("an unknown congestion control: %v", err)
	}
}
