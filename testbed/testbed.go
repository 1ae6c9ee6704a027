// Package testbed builds the network of a topology on one Linux machine: every host and every
// switch is a network namespace, every cable a pair of virtual Ethernet devices whose two ends send
// at a limited rate into a limited buffer. What a mapping gains can so be measured with real TCP
// and a real launcher, at a thousandth of a real network's rate.
//
//	plan, err := testbed.NewPlan(testbed.Source{Topology: "torus:4x4,gbps=0.02"}, testbed.DefaultOptions())
//	network, err := testbed.Up(ctx, plan)
//	defer testbed.Down(plan.Options.Name)
//
// A Plan is data and needs neither root nor Linux. Up needs both. All addresses, devices and
// routes are inside the namespaces; a namespace of its own, the head, holds a network for the
// launcher, so that its traffic does not disturb the job's.
package testbed

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"remap/input"
)

// Options say how a network is built.
type Options struct {
	// Name tells testbeds of one machine apart: 1 to 20 letters, digits and hyphens.
	Name string
	// BufferBytes is what waits at most at a port, in bytes on the wire; what comes then is dropped.
	BufferBytes int
	// MTU is the size of the largest IP packet, in bytes.
	MTU int
	// Static: a switch sends all packets to a host to the same next link, as the simulator's routing
	// static does; else it draws one for each TCP connection and direction, as hash does.
	Static bool
	// Seed is that of the switches' hash functions; another seed draws other paths.
	Seed uint32
	// CongestionControl is TCP's on all hosts, such as reno or bbr; empty = that of the machine. Others,
	// such as cubic, can be had only where they are the machine's.
	CongestionControl string
	// WindowBytes limits the data that a TCP connection has under way; 0 = the limit of the machine.
	WindowBytes int
}

// DefaultOptions are close to a lossless network with credits: a connection has as much under way as the
// input buffers on a path of the simulator hold, and ports hold it all, so that no packet of a job of 64
// ranks is dropped. Reno is the congestion control that every kernel has in every namespace.
func DefaultOptions() Options {
	return Options{Name: "testbed", BufferBytes: defaultBuffer, MTU: 1500, Seed: 1,
		CongestionControl: "reno", WindowBytes: defaultWindow}
}

// ErrUnsupported is what Up, Down and Open return where a testbed is not to be had; its text says why.
var ErrUnsupported = errors.New("a testbed needs Linux, root and network namespaces")

var validName = regexp.MustCompile(`^[a-zA-Z0-9-]{1,20}$`)

// checkName refuses names that are no part of a file's name.
func checkName(testbed string) error {
	if validName.MatchString(testbed) {
		return nil
	}
	return &input.Error{Reason: fmt.Sprintf("the testbed's name is %q", testbed),
		Hint: "1 to 20 letters, digits and hyphens"}
}

// Validate names the option that is out of its bounds. Errors are *input.Error.
func (o Options) Validate() error {
	if err := checkName(o.Name); err != nil {
		return err
	}
	for _, check := range []struct {
		ok     bool
		reason string
		hint   string
	}{
		{o.BufferBytes >= 3*o.MTU && o.BufferBytes <= maxBuffer,
			fmt.Sprintf("buffers of %d bytes", o.BufferBytes),
			fmt.Sprintf("from three packets, %d bytes, to %d", 3*o.MTU, maxBuffer)},
		{o.MTU >= minMTU && o.MTU <= maxMTU, fmt.Sprintf("packets of %d bytes", o.MTU),
			fmt.Sprintf("from %d to %d", minMTU, maxMTU)},
		{o.WindowBytes == 0 || o.WindowBytes >= 4096 && o.WindowBytes <= maxBuffer,
			fmt.Sprintf("a window of %d bytes", o.WindowBytes),
			fmt.Sprintf("from 4096 to %d, or 0 for the machine's", maxBuffer)},
	} {
		if !check.ok {
			return &input.Error{Reason: check.reason, Hint: check.hint}
		}
	}
	if strings.ContainsAny(o.CongestionControl, "/ \t\n") {
		return &input.Error{Reason: fmt.Sprintf("TCP congestion control %q", o.CongestionControl),
			Hint: "one of /proc/sys/net/ipv4/tcp_available_congestion_control"}
	}
	return nil
}
