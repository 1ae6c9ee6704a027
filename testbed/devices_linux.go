package testbed

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
)

// attributes are those of a new device.
func attributes(name string) netlink.LinkAttrs {
	a := netlink.NewLinkAttrs()
	a.Name = name
	return a
}

// setUp brings a device up.
func setUp(handle *netlink.Handle, name string) error {
	device, err := handle.LinkByName(name)
	if err != nil {
		return fmt.Errorf("device %s: %w", name, err)
	}
	return handle.LinkSetUp(device)
}

// addressed brings a device up with an address.
func addressed(handle *netlink.Handle, name, prefix string) error {
	device, err := handle.LinkByName(name)
	if err != nil {
		return fmt.Errorf("device %s: %w", name, err)
	}
	address, err := netlink.ParseAddr(prefix)
	if err != nil {
		return err
	}
	if err := handle.AddrReplace(device, address); err != nil {
		return fmt.Errorf("address %s of device %s: %w", prefix, name, err)
	}
	return handle.LinkSetUp(device)
}

// ipNet is a prefix as the netlink library takes it.
func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

func hostPrefix(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// writeSettings sets values of the kernel for the namespace of this thread.
func writeSettings(all []setting) error {
	for _, s := range all {
		err := os.WriteFile(filepath.Join("/proc/sys", s.path), []byte(s.value), 0)
		if err != nil && (!s.optional || !errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("setting %s to %q: %w", s.path, s.value, err)
		}
	}
	return nil
}
