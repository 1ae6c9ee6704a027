package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// Network is a testbed that is up.
type Network struct {
	// Plan is what was built.
	Plan *Plan

	spaces  []netns.NsHandle // length nodes
	handles []*netlink.Handle
	devices []int // length ports: index of the port's device in its namespace
	head    netns.NsHandle
	claim   *os.File // nil = not claimed
}

// Up builds the network of a plan. An error leaves nothing behind. The network outlives the program:
// Open finds it again, Down takes it away. Errors wrap ErrUnsupported where root, Linux or
// namespaces are missing.
func Up(ctx context.Context, p *Plan) (n *Network, err error) {
	unlock, err := lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	name := p.Options.Name
	if there, err := spaces(name); err != nil || len(there) > 0 {
		return nil, errors.Join(err, alreadyUp(name, len(there)))
	}
	n = &Network{Plan: p, devices: make([]int, len(p.Ports)), head: netns.None()}
	defer func() {
		if err != nil {
			n.Close()
			_, left := down(name)
			n, err = nil, errors.Join(err, left)
		}
	}()
	if err := save(p); err != nil {
		return n, err
	}
	for _, stage := range []func(context.Context) error{n.makeSpaces, n.makeHead, n.makeCables, n.configure} {
		if err := errors.Join(stage(ctx), ctx.Err()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// makeSpaces makes a namespace for every node.
func (n *Network) makeSpaces(context.Context) error {
	for i := range n.Plan.Nodes {
		space, err := create(n.Plan.Nodes[i].Namespace)
		if err != nil {
			return err
		}
		handle, err := netlink.NewHandleAt(space, unix.NETLINK_ROUTE)
		n.spaces, n.handles = append(n.spaces, space), append(n.handles, handle)
		if err != nil {
			return err
		}
	}
	return nil
}

// makeHead makes the launcher's namespace, and a bridge in it that leads to all hosts.
func (n *Network) makeHead(context.Context) (err error) {
	if n.head, err = create(headNamespace(n.Plan.Options.Name)); err != nil {
		return err
	}
	head, err := netlink.NewHandleAt(n.head, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer head.Close()
	bridge := &netlink.Bridge{LinkAttrs: attributes(ManagementDevice)}
	if err := head.LinkAdd(bridge); err != nil {
		return fmt.Errorf("bridge of the launcher's network: %w", err)
	}
	for i := range n.Plan.Topology.Hosts() {
		node := &n.Plan.Nodes[i]
		port := attributes(fmt.Sprintf("m%d", i))
		port.MasterIndex = bridge.Index
		if err := head.LinkAdd(&netlink.Veth{LinkAttrs: port, PeerName: ManagementDevice,
			PeerNamespace: netlink.NsFd(n.spaces[i])}); err != nil {
			return fmt.Errorf("cable from the launcher to %s: %w", node.Name, err)
		}
		if err := setUp(head, port.Name); err != nil {
			return err
		}
		if err := addressed(n.handles[i], ManagementDevice, node.Management.String()+"/16"); err != nil {
			return err
		}
	}
	return errors.Join(addressed(head, ManagementDevice, HeadAddress.String()+"/16"), setUp(head, "lo"))
}

// makeCables makes a pair of devices for every cable.
func (n *Network) makeCables(context.Context) error {
	p := n.Plan
	for l := range p.Ports {
		back := int(p.Topology.Reverse(int32(l)))
		if back < l {
			continue
		}
		near, far := &p.Ports[l], &p.Ports[back]
		link := attributes(near.Device)
		link.HardwareAddr, link.MTU = p.Nodes[near.Node].MAC, p.Options.MTU
		if err := n.handles[near.Node].LinkAdd(&netlink.Veth{LinkAttrs: link, PeerName: far.Device,
			PeerHardwareAddr: p.Nodes[far.Node].MAC, PeerMTU: uint32(p.Options.MTU),
			PeerNamespace: netlink.NsFd(n.spaces[far.Node])}); err != nil {
			return fmt.Errorf("cable from %s to %s: %w", p.Nodes[near.Node].Name, p.Nodes[far.Node].Name, err)
		}
	}
	return nil
}

// configure gives all nodes their rates, addresses and routes. Nodes are configured side by side.
func (n *Network) configure(ctx context.Context) error {
	nodes, ctx := errgroup.WithContext(ctx)
	nodes.SetLimit(4)
	for i := range n.Plan.Nodes {
		nodes.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := n.configureNode(int32(i)); err != nil {
				return fmt.Errorf("%s: %w", n.Plan.Nodes[i].Name, err)
			}
			return nil
		})
	}
	return nodes.Wait()
}

func (n *Network) configureNode(node int32) error {
	t := n.Plan.Topology
	if err := inside(n.spaces[node], func() error { return writeSettings(n.Plan.settings(node)) }); err != nil {
		return err
	}
	if err := setUp(n.handles[node], "lo"); err != nil {
		return err
	}
	first, end := t.Out(node)
	for l := first; l < end; l++ {
		if err := n.configurePort(l); err != nil {
			return fmt.Errorf("port %s: %w", n.Plan.Ports[l].Device, err)
		}
	}
	if t.IsHost(node) {
		if err := addressed(n.handles[node], DataDevice, n.Plan.Nodes[node].Address.String()+"/32"); err != nil {
			return err
		}
		return n.handles[node].RouteReplace(&netlink.Route{Dst: ipNet(dataNetwork), LinkIndex: n.devices[first],
			Gw: n.Plan.Nodes[n.Plan.Ports[first].Peer].Hop.AsSlice(), Flags: int(netlink.FLAG_ONLINK),
			Src: n.Plan.Nodes[node].Address.AsSlice()})
	}
	return n.routes(node)
}

// configurePort brings a port up with its rate and the address of its neighbour.
func (n *Network) configurePort(l int32) error {
	port := &n.Plan.Ports[l]
	handle, peer := n.handles[port.Node], &n.Plan.Nodes[port.Peer]
	device, err := handle.LinkByName(port.Device)
	if err != nil {
		return err
	}
	n.devices[l] = device.Attrs().Index
	// One packet at a time: a queue of larger pieces would be as lumpy as these.
	if err := handle.LinkSetGSOMaxSegs(device, 1); err != nil {
		return err
	}
	if err := handle.LinkSetUp(device); err != nil {
		return err
	}
	rate := uint64(port.BytesPerSecond)
	if err := handle.QdiscReplace(&netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: n.devices[l], Parent: netlink.HANDLE_ROOT,
			Handle: netlink.MakeHandle(1, 0)},
		Rate: rate, Limit: uint32(n.Plan.Options.BufferBytes),
		Buffer: netlink.Xmittime(rate, uint32(n.Plan.burst())),
	}); err != nil {
		return fmt.Errorf("the kernel's token bucket (tc-tbf): %w", err)
	}
	// Without it a queue of seconds would hold up the question for the neighbour's address.
	return handle.NeighSet(&netlink.Neigh{LinkIndex: n.devices[l], State: netlink.NUD_PERMANENT,
		IP: peer.Hop.AsSlice(), HardwareAddr: peer.MAC})
}

// routes gives a switch its way to every host.
func (n *Network) routes(node int32) error {
	for host := range int32(n.Plan.Topology.Hosts()) {
		route := netlink.Route{Dst: ipNet(hostPrefix(n.Plan.Nodes[host].Address)),
			Flags: int(netlink.FLAG_ONLINK)}
		next := n.Plan.Next(node, host)
		for _, l := range next {
			gateway := n.Plan.Nodes[n.Plan.Ports[l].Peer].Hop.AsSlice()
			if len(next) == 1 {
				route.LinkIndex, route.Gw = n.devices[l], gateway
				break
			}
			route.MultiPath = append(route.MultiPath, &netlink.NexthopInfo{LinkIndex: n.devices[l],
				Gw: gateway, Flags: int(netlink.FLAG_ONLINK)})
		}
		if len(next) == 0 {
			continue // a switch that no packet for the host passes
		}
		if err := n.handles[node].RouteReplace(&route); err != nil {
			return fmt.Errorf("route to %s: %w", n.Plan.Nodes[host].Name, err)
		}
	}
	return nil
}

// Reseed draws other hash functions for all switches: TCP connections that are made from now on,
// and those that are there, take other paths. It does nothing before Linux 6.11; there only new
// connections draw, by their ports.
func (n *Network) Reseed(seed uint32) error {
	n.Plan.Options.Seed = seed
	for node := range int32(len(n.Plan.Nodes)) {
		if n.Plan.Topology.IsHost(node) {
			continue
		}
		text := strconv.FormatUint(uint64(n.Plan.hashSeed(node)), 10)
		if err := inside(n.spaces[node], func() error {
			return writeSettings([]setting{{hashSeedSetting, text, true}})
		}); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the network, which stays up.
func (n *Network) Close() {
	for _, handle := range n.handles {
		if handle != nil {
			handle.Close()
		}
	}
	for _, space := range n.spaces {
		space.Close()
	}
	if n.head.IsOpen() {
		n.head.Close()
	}
	if n.claim != nil {
		n.claim.Close()
	}
	n.handles, n.spaces, n.claim = nil, nil, nil
}
