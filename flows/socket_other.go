//go:build !linux

package flows

import (
	"net"
	"syscall"
)

// control sets no option: Options.Validate refuses those that only Linux has.
func (o Options) control(_, _ string, _ syscall.RawConn) error { return nil }

// awaitSent does not wait: only Linux tells how much of a connection is unsent.
func awaitSent(*net.TCPConn) error { return nil }

// wakeFor does nothing: the kernel wakes a reader for each packet.
func wakeFor(*net.TCPConn, int) {}
