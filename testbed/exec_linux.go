package testbed

import "github.com/vishvananda/netns"

// Inside calls f on a thread that is in the network of a host, or of the head where host is negative,
// and returns its error. Sockets that f makes in the calling goroutine, and processes that it starts,
// stay in that network.
func (n *Network) Inside(host int32, f func() error) error { return inside(n.space(host), f) }

func (n *Network) space(host int32) netns.NsHandle {
	if host < 0 {
		return n.head
	}
	return n.spaces[host]
}
