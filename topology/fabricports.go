package topology

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// FabricPort is the port that a link leaves, as the tools of an InfiniBand
// fabric know it; what the fabric file does not say is 0.
type FabricPort struct {
	// Node: GUID of the switch or adapter.
	Node uint64
	// GUID: of the port: an adapter's own, that of the whole for a switch.
	GUID uint64
	// LID: of the port: an adapter's own, that of the whole for a switch.
	LID uint32
	// Number: from 1, as printed on the device: FromPort of the link.
	Number int32
	// Lanes: width of the link.
	Lanes int32
	// DeviceID: what the device is, as its maker numbers it.
	DeviceID uint32
	// Device: an adapter's name within its host, such as mlx5_0: the second word of its description.
	Device string
}

// identity is what a fabric file says of one port beside its cable.
type identity struct {
	guid  uint64
	lid   uint32
	lanes int32
}

// identify adds what is known of a port to what was known before.
func (f *fabric) identify(p port, known identity) {
	if known == (identity{}) {
		return
	}
	before := f.identities[p]
	f.identities[p] = identity{cmp.Or(known.guid, before.guid), cmp.Or(known.lid, before.lid),
		cmp.Or(known.lanes, before.lanes)}
}

// parseGUID reads a GUID in hexadecimal digits; 0 when the text is none.
func parseGUID(text string) uint64 {
	guid, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return 0
	}
	return guid
}

// guidOfID is the GUID in a node's id, S-GUID, H-GUID or 0xGUID; 0 in names such
// as those of ibsim.
func guidOfID(id string) uint64 {
	for _, prefix := range []string{"S-", "H-", "R-", "0x"} {
		if guid, found := strings.CutPrefix(id, prefix); found {
			return parseGUID(guid)
		}
	}
	return 0
}

// fabricPort puts together what is known of a port.
func (f *fabric) fabricPort(p port) FabricPort {
	d, known := &f.devices[p.device], f.identities[p]
	node := guidOfID(d.id)
	port := FabricPort{Node: node, GUID: cmp.Or(known.guid, node), LID: known.lid, Number: p.number,
		Lanes: known.lanes, DeviceID: d.model}
	if d.kind == kindSwitch {
		port.GUID, port.LID = node, cmp.Or(d.lid, known.lid)
	} else if words := strings.Fields(d.description); len(words) > 1 {
		port.Device = words[1]
	}
	return port
}

// ports lists the port of every link once wire has made them: ends are one port
// of every cable, in the order in which wire took the cables. It repeats how wire
// orders the links of a node: by port number, and else as the cables come.
func (f *fabric) ports(t *Topology, ends []port) []FabricPort {
	next := slices.Clone(t.firstLink)
	ports := make([]FabricPort, len(t.Links))
	place := func(p port) {
		node := f.devices[p.device].node
		ports[next[node]] = f.fabricPort(p)
		next[node]++
	}
	for _, a := range ends {
		place(a)
		place(f.ends[a].peer)
	}
	for v := range len(t.firstLink) - 1 {
		slices.SortStableFunc(ports[t.firstLink[v]:t.firstLink[v+1]], func(a,
			b FabricPort) int {
			return cmp.Compare(a.Number, b.Number)
		})
	}
	return ports
}
