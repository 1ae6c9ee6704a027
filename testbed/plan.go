package testbed

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"remap/input"
	"remap/topology"
)

// Plan is what Up builds of a network: nodes with ports, addresses and routes.
type Plan struct {
	Options Options
	// Source says which network it is, and Topology is that network.
	Source   Source
	Topology *topology.Topology
	// Nodes (length hosts + switches) are in the order of the topology's nodes.
	Nodes []Node
	// Ports (length links) are in the order of the topology's links: port l sends what link l carries.
	Ports []Port
}

// Node is a host or a switch: a network namespace.
type Node struct {
	// Name is that of the topology.
	Name string
	// Namespace is the name of its network namespace.
	Namespace string
	// MAC is the Ethernet address of all its ports.
	MAC net.HardwareAddr
	// Hop is the address by which neighbours name it as the next hop. No device has it.
	Hop netip.Addr
	// Address is that of a host in the data network; switches have none.
	Address netip.Addr
	// Management is the address of a host in the launcher's network; switches have none.
	Management netip.Addr
}

// Port is the end of a cable at a node.
type Port struct {
	// Node has the port, Peer is the node at the other end.
	Node, Peer int32
	// Device is its name within the node's namespace.
	Device string
	// BytesPerSecond is its rate on the wire. It is above the link's rate by the headers of full TCP
	// packets: a rate of the topology is one of data, as that of an InfiniBand link is one after coding.
	BytesPerSecond float64
}

// The networks inside the namespaces. None of their addresses is seen outside.
var (
	dataNetwork       = netip.MustParsePrefix("10.201.0.0/16")
	managementNetwork = netip.MustParsePrefix("10.202.0.0/16")
	hopNetwork        = netip.MustParsePrefix("169.254.0.0/16")
	// HeadAddress is where the launcher runs.
	HeadAddress = address(managementNetwork, 1)
)

// Devices of a host.
const (
	// DataDevice leads into the network of the topology, ManagementDevice to the launcher.
	DataDevice, ManagementDevice = "data", "mgmt"
)

// address is number i of a network of 16 bits.
func address(network netip.Prefix, i int) netip.Addr {
	b := network.Addr().As4()
	b[2], b[3] = byte(i>>8), byte(i)
	return netip.AddrFrom4(b)
}

// NewPlan plans the namespaces of a network. Errors are *input.Error: a network that is not one, or
// too large, or has hosts with several links.
func NewPlan(source Source, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t, err := source.Open()
	if err != nil {
		return nil, err
	}
	if t.Hosts() > MostHosts || t.Switches() > mostSwitches || len(t.Links)/2 > mostCables {
		return nil, &input.Error{Reason: fmt.Sprintf("%d hosts, %d switches, %d cables: a testbed has at "+
			"most %d, %d, %d", t.Hosts(), t.Switches(), len(t.Links)/2, MostHosts, mostSwitches, mostCables),
			Hint: "a smaller network of the same kind shows the same effects"}
	}
	p := &Plan{Options: o, Source: source, Topology: t}
	for n := range int32(t.Hosts() + t.Switches()) {
		if err := checkHost(t, n); err != nil {
			return nil, err
		}
		p.Nodes = append(p.Nodes, newNode(t, o.Name, n))
	}
	for l := range t.Links {
		link := &t.Links[l]
		port := Port{Node: link.From, Peer: link.To, BytesPerSecond: link.BytesPerSecond / o.payload()}
		first, end := t.Out(link.From)
		port.Device = fmt.Sprintf("p%d", int32(l)-first)
		if t.IsHost(link.From) {
			if end-first > 1 {
				return nil, &input.Error{Reason: fmt.Sprintf("host %s has %d links", t.NodeName(link.From), end-first),
					Hint: "a testbed has hosts of one link each"}
			}
			port.Device = DataDevice
		}
		if link.BytesPerSecond < minRate || link.BytesPerSecond > maxRate {
			return nil, &input.Error{Reason: fmt.Sprintf("a link of %g Gb/s", link.BytesPerSecond*8/1e9),
				Hint: "one machine plays networks of gbps=0.001 to gbps=1; gbps=0.02 suits two cores"}
		}
		p.Ports = append(p.Ports, port)
	}
	return p, nil
}

// checkHost refuses hosts that a launcher could not tell from others.
func checkHost(t *topology.Topology, n int32) error {
	if !t.IsHost(n) {
		return nil
	}
	name := t.NodeName(n)
	if !plainName.MatchString(name) {
		return &input.Error{Reason: fmt.Sprintf("host name %q", name),
			Hint: "a testbed has hosts with names of up to 64 letters, digits, hyphens and underscores"}
	}
	if own, err := os.Hostname(); err == nil && name == own || name == "localhost" {
		return &input.Error{Reason: fmt.Sprintf("host name %q is this machine's", name),
			Hint: "a launcher would start its ranks outside of the testbed: rename it in the topology"}
	}
	return nil
}

func newNode(t *topology.Topology, testbed string, n int32) Node {
	number := int(n) + 1
	node := Node{Name: t.NodeName(n), Namespace: nodeNamespace(testbed, t.NodeName(n), number),
		MAC: net.HardwareAddr{0x02, 'r', 'm', 0, byte(number >> 8), byte(number)},
		Hop: address(hopNetwork, 256+number)} // the first 256 are reserved (RFC 3927)
	if t.IsHost(n) {
		node.Address = address(dataNetwork, number)
		node.Management = address(managementNetwork, 1+number)
	}
	return node
}

// Next is the ports by which a switch sends packets to a host: one, or several among which the hash
// of a connection chooses. Nodes are numbered as in the topology.
func (p *Plan) Next(node, host int32) []int32 {
	t := p.Topology
	at, to := t.SwitchOf(node), t.LeafSwitch(host)
	if at == to {
		return t.Ejection(host)
	}
	links := t.MinimalNext(nil, node, to)
	if p.Options.Static && len(links) > 1 {
		return []int32{t.Routes.StaticNext(at, at, to, host)}
	}
	return links
}

// payload is the share of data in a full TCP packet on the wire.
func (o Options) payload() float64 {
	return float64(o.PayloadBytes()) / float64(o.MTU+ethernetHeader)
}

// PayloadBytes is the data in a full TCP packet.
func (o Options) PayloadBytes() int { return o.MTU - tcpHeaders }
