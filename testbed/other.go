//go:build !linux

package testbed

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Network is a testbed that is up; there is none on this system.
type Network struct {
	// Plan is what was built.
	Plan *Plan
}

func unsupported() error { return fmt.Errorf("%w: this is %s", ErrUnsupported, runtime.GOOS) }

// Up builds the network of a plan on Linux.
func Up(context.Context, *Plan) (*Network, error) { return nil, unsupported() }

// Open finds a testbed that is up on Linux.
func Open(string) (*Network, error) { return nil, unsupported() }

// Down takes a testbed away on Linux.
func Down(string) (int, error) { return 0, unsupported() }

// Close does nothing.
func (n *Network) Close() {}

// Claim keeps other programs away on Linux.
func (n *Network) Claim() error { return unsupported() }

// EndProcesses ends processes on Linux.
func (n *Network) EndProcesses() error { return unsupported() }

// Reseed draws other paths on Linux.
func (n *Network) Reseed(uint32) error { return unsupported() }

// Inside calls a function in the network of a host on Linux.
func (n *Network) Inside(int32, func() error) error { return unsupported() }

// Counters reads the counters of all ports on Linux.
func (n *Network) Counters() ([]PortCounters, error) { return nil, unsupported() }

// Watch measures on Linux.
func (n *Network) Watch(context.Context, time.Duration) (*Measurement, error) {
	return nil, unsupported()
}
