package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"remap/input"
)

// Down takes a testbed away: processes that run in its namespaces, the namespaces, and with them all
// devices and addresses. It needs nothing but the name, so it also clears what a killed Up or run
// left. count is how many namespaces there were.
func Down(testbed string) (count int, err error) {
	if err := checkName(testbed); err != nil {
		return 0, err
	}
	unlock, err := lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	return down(testbed)
}

// down is Down. The caller holds the lock.
func down(testbed string) (count int, err error) {
	names, err := spaces(testbed)
	if err != nil {
		return 0, err
	}
	if err := remove(names); err != nil {
		return len(names), err
	}
	if err := os.RemoveAll(filepath.Join(workFolder, testbed)); err != nil {
		return len(names), err
	}
	if err := os.Remove(recordPath(testbed)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return len(names), err
	}
	return len(names), nil
}

// allowed returns an error where the user may not enter namespaces.
func allowed() error {
	if user := os.Geteuid(); user != 0 {
		return fmt.Errorf("%w: this is user %d", ErrUnsupported, user)
	}
	return nil
}

// lock waits until no other program builds or removes a testbed on this machine. The lock of a killed
// program is free.
func lock() (unlock func() error, err error) {
	if err := errors.Join(allowed(), os.MkdirAll(stateFolder, 0o755)); err != nil {
		return nil, err
	}
	folder, err := os.Open(stateFolder)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", stateFolder, err), folder.Close())
	}
	return folder.Close, nil
}

// Claim keeps other programs from running jobs on the testbed until Close. Errors are *input.Error
// where another one does.
func (n *Network) Claim() (err error) {
	name := n.Plan.Options.Name
	if n.claim, err = os.Open(recordPath(name)); err != nil {
		return err
	}
	if err := unix.Flock(int(n.claim.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return &input.Error{Reason: "another program runs a job on testbed " + name, Err: err,
			Hint: "wait for its end, or build a testbed of another --name"}
	}
	return nil
}

// Open finds a testbed that is up. Errors are *input.Error where there is none, or only a part.
func Open(testbed string) (n *Network, err error) {
	if err := errors.Join(checkName(testbed), allowed()); err != nil {
		return nil, err
	}
	plan, err := load(testbed)
	if err != nil {
		return nil, err
	}
	n = &Network{Plan: plan, devices: make([]int, len(plan.Ports)), head: netns.None()}
	defer func() {
		if err != nil {
			n.Close()
			n, err = nil, incomplete(testbed, err)
		}
	}()
	for i := range plan.Nodes {
		space, err := netns.GetFromName(plan.Nodes[i].Namespace)
		if err != nil {
			return n, err
		}
		handle, err := netlink.NewHandleAt(space, unix.NETLINK_ROUTE)
		n.spaces, n.handles = append(n.spaces, space), append(n.handles, handle)
		if err != nil {
			return n, err
		}
	}
	if n.head, err = netns.GetFromName(headNamespace(testbed)); err != nil {
		return n, err
	}
	for l := range plan.Ports {
		device, err := n.handles[plan.Ports[l].Node].LinkByName(plan.Ports[l].Device)
		if err != nil {
			return n, err
		}
		n.devices[l] = device.Attrs().Index
	}
	return n, nil
}
