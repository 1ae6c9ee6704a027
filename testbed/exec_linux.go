package testbed

import (
	"context"
	"net"
	"os/exec"
	"syscall"

	"github.com/vishvananda/netns"
)

// space is the namespace of a host; of the head where host is negative.
func (n *Network) space(host int32) netns.NsHandle {
	if host < 0 {
		return n.head
	}
	return n.spaces[host]
}

// Start starts a command on a host's network, or with host = -1 on the head's, as os/exec would. The
// command is a process group of its own.
func (n *Network) Start(host int32, command *exec.Cmd) error {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
	return inside(n.space(host), command.Start)
}

// Listen opens a TCP port of the data network on a host; the kernel chooses its number.
func (n *Network) Listen(ctx context.Context, host int32) (listener net.Listener, err error) {
	err = inside(n.spaces[host], func() error {
		var how net.ListenConfig
		listener, err = how.Listen(ctx, "tcp4", n.Plan.Nodes[host].Address.String()+":0")
		return err
	})
	return listener, err
}

// Dial connects from a host to an address of the data network.
func (n *Network) Dial(ctx context.Context, host int32, address string) (connection net.Conn, err error) {
	err = inside(n.spaces[host], func() error {
		var how net.Dialer
		connection, err = how.DialContext(ctx, "tcp4", address)
		return err
	})
	return connection, err
}
