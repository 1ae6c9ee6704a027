package testbed

import (
	"encoding/binary"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// setQueue limits what a port sends to its rate.
func (n *Network) setQueue(l int32) error {
	if n.Plan.Options.Fair && !n.Plan.Topology.IsHost(n.Plan.Ports[l].Node) {
		return n.setFairQueue(l)
	}
	rate := uint64(n.Plan.Ports[l].BytesPerSecond)
	if err := n.handles[n.Plan.Ports[l].Node].QdiscReplace(&netlink.Tbf{
		QdiscAttrs: n.root(l), Rate: rate, Limit: uint32(n.Plan.Options.BufferBytes),
		Buffer: netlink.Xmittime(rate, uint32(n.Plan.burst())),
	}); err != nil {
		return fmt.Errorf("the kernel's token bucket (tc-tbf): %w", err)
	}
	return nil
}

// queueMajor and hashTable are the numbers of a port's queue and of its table of sources; firstSource
// is the class of host 0, sharedClass that of all together.
const (
	queueMajor  = 1
	sharedClass = 1
	firstSource = 0x10
	hashTable   = 2 << 20
	rootTable   = 0x800 << 20
)

func (n *Network) root(l int32) netlink.QdiscAttrs {
	return netlink.QdiscAttrs{LinkIndex: n.devices[l], Parent: netlink.HANDLE_ROOT,
		Handle: netlink.MakeHandle(queueMajor, 0)}
}

// setFairQueue gives every source host a queue of its own; the queues are served in turn, a packet
// each (deficit round robin of the kernel's hierarchical token bucket, tc-htb). A switch with input
// buffers serves its inputs so.
func (n *Network) setFairQueue(l int32) error {
	handle := n.handles[n.Plan.Ports[l].Node]
	bucket := netlink.NewHtb(n.root(l))
	if err := handle.QdiscReplace(bucket); err != nil {
		return fmt.Errorf("the kernel's hierarchical token bucket (tc-htb): %w", err)
	}
	rate := uint64(n.Plan.Ports[l].BytesPerSecond) * 8
	class := func(parent, minor uint16, guaranteed uint64) error {
		return handle.ClassReplace(netlink.NewHtbClass(
			netlink.ClassAttrs{LinkIndex: n.devices[l], Parent: netlink.MakeHandle(queueMajor, parent),
				Handle: netlink.MakeHandle(queueMajor, minor)},
			netlink.HtbClassAttrs{Rate: guaranteed, Ceil: rate, Buffer: uint32(n.Plan.burst()),
				Cbuffer: uint32(n.Plan.burst()), Quantum: uint32(n.Plan.Options.MTU + ethernetHeader)}))
	}
	if err := class(0, sharedClass, rate); err != nil {
		return fmt.Errorf("class of all sources: %w", err)
	}
	if err := n.hashSources(l); err != nil {
		return fmt.Errorf("table of sources (cls_u32): %w", err)
	}
	for host := range n.Plan.Topology.Hosts() {
		minor := uint16(firstSource + host)
		// What is guaranteed goes before the turns: next to nothing.
		if err := class(sharedClass, minor, 8*guaranteedRate); err != nil {
			return fmt.Errorf("class of a source: %w", err)
		}
		if err := n.addSource(l, host, minor); err != nil {
			return fmt.Errorf("filter of a source (cls_u32): %w", err)
		}
	}
	return nil
}

// hashSources makes the table that finds a packet's class by the last byte of its source.
func (n *Network) hashSources(l int32) error {
	handle := n.handles[n.Plan.Ports[l].Node]
	table := &netlink.U32{FilterAttrs: n.filter(l), Divisor: 256}
	table.Handle = hashTable
	if err := handle.FilterAdd(table); err != nil {
		return err
	}
	return handle.FilterAdd(&netlink.U32{FilterAttrs: n.filter(l), Hash: rootTable, Link: hashTable,
		Sel: &nl.TcU32Sel{Hoff: sourceOffset, Hmask: 0xff, Keys: []nl.TcU32Key{{}}}})
}

// sourceOffset is where the source address stands in an IPv4 header.
const sourceOffset = 12

// addSource sends packets of a host to a class.
func (n *Network) addSource(l int32, host int, minor uint16) error {
	address := n.Plan.Nodes[host].Address.As4()
	return n.handles[n.Plan.Ports[l].Node].FilterAdd(&netlink.U32{FilterAttrs: n.filter(l),
		Hash: hashTable | uint32(address[3])<<12, ClassId: netlink.MakeHandle(queueMajor, minor),
		Sel: &nl.TcU32Sel{Flags: nl.TC_U32_TERMINAL, Keys: []nl.TcU32Key{{Mask: 0xffffffff,
			Val: binary.BigEndian.Uint32(address[:]), Off: sourceOffset}}}})
}

func (n *Network) filter(l int32) netlink.FilterAttrs {
	return netlink.FilterAttrs{LinkIndex: n.devices[l], Parent: netlink.MakeHandle(queueMajor, 0), Priority: 1,
		Protocol: unix.ETH_P_IP}
}
