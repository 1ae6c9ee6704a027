package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"remap/input"
)

type nodeKind uint8

const (
	kindUnknown nodeKind = iota
	kindSwitch
	kindAdapter
	kindOther // router, aggregation node: neither a host nor a way for its traffic
)

// device is a switch or an adapter as a fabric file describes it.
type device struct {
	id, description string
	kind            nodeKind
	declared        bool   // has a block of its own, not only mentioned by its neighbours
	ports           int    // ports of the block's header; 0 = not said
	line            int    // where it is described or first mentioned
	model, lid      uint32 // device id; LID of a switch; 0 = not said
	node            int32
}

type port struct{ device, number int32 }

// end is what is known of the cable in one port.
type end struct {
	peer port
	gbps float64 // 0 = not said
	line int
	own  bool // said in the port's own block
}

// fabric gathers devices and cables, from either end or both, until the file
// is read; then topology makes the network.
type fabric struct {
	file       string
	devices    []device
	index      map[string]int32
	ends       map[port]end
	identities map[port]identity
	links      []port // ports in order of their first mention, one of each cable
	warnings   []string
	anyRate    bool
	dump       bool // written by ibnetdiscover, which describes every adapter
	lastLine   int
}

func newFabric(file string) *fabric {
	return &fabric{file: file, index: map[string]int32{}, ends: map[port]end{}, identities: map[port]identity{}}
}

func (f *fabric) fail(line int, hint, format string, args ...any) error {
	return &input.Error{File: f.file, Line: line, Hint: hint, Reason: fmt.Sprintf(format, args...)}
}

func (f *fabric) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

// device finds or adds a device.
func (f *fabric) device(id string, line int) int32 {
	if d, ok := f.index[id]; ok {
		return d
	}
	d := int32(len(f.devices))
	f.devices = append(f.devices, device{id: id, line: line, node: -1})
	f.index[id] = d
	return d
}

// label names a device in messages.
func (f *fabric) label(d int32) string {
	if v := &f.devices[d]; v.description != "" && v.description != v.id {
		return fmt.Sprintf("%s (%s)", v.id, v.description)
	}
	return f.devices[d].id
}

const (
	cutHint      = "the file may be cut short"
	conflictHint = "a port has one cable; write the file anew with ibnetdiscover, " +
		"and do not join dumps of several fabrics"
)

// connect notes that a line in the block of port a says it leads to port b.
func (f *fabric) connect(a, b port, gbps float64, line int) error {
	for _, p := range []port{a, b} {
		if most := f.devices[p.device].ports; most > 0 && int(p.number) > most {
			return f.fail(line, "the number after Switch or Ca is that of its ports",
				"port %d of %s, which has %d ports", p.number, f.label(p.device), most)
		}
	}
	if a.device == b.device {
		return f.fail(line, "a cable joins two devices", "port %d of %s leads to the same device", a.number,
			f.label(a.device))
	}
	here, seen := f.ends[a]
	there, seenThere := f.ends[b]
	switch {
	case seen && here.own:
		return f.fail(line, conflictHint, "port %d of %s is used twice, first on line %d", a.number,
			f.label(a.device), here.line)
	case seen && here.peer != b:
		return f.fail(line, conflictHint,
			"port %d of %s leads to port %d of %s here, but to port %d of %s on line %d",
			a.number, f.label(a.device), b.number, f.label(b.device), here.peer.number, f.label(here.peer.device),
			here.line)
	case seenThere && there.peer != a:
		return f.fail(line, conflictHint,
			"port %d of %s leads to port %d of %s here, but to port %d of %s on line %d",
			b.number, f.label(b.device), a.number, f.label(a.device), there.peer.number, f.label(there.peer.device),
			there.line)
	case seen && here.gbps > 0 && gbps > 0 && here.gbps != gbps:
		return f.fail(line, "both ends of a cable run at one rate; write the file anew with ibnetdiscover",
			"the link of port %d of %s runs at %g Gb/s here, but at %g Gb/s on line %d",
			a.number, f.label(a.device), gbps, here.gbps, here.line)
	}
	f.anyRate = f.anyRate || gbps > 0
	gbps = max(gbps, here.gbps)
	f.ends[a] = end{b, gbps, line, true}
	if !seenThere {
		f.links = append(f.links, a)
		there.line = line
	}
	f.ends[b] = end{a, gbps, there.line, there.own}
	return nil
}

// resolve settles what the devices are that have no block of their own.
func (f *fabric) resolve() error {
	uses, bySwitch := make([]int, len(f.devices)), make([]bool, len(f.devices))
	anySwitch := false
	for i := range f.devices {
		d := &f.devices[i]
		anySwitch = anySwitch || d.declared && d.kind == kindSwitch
	}
	for _, a := range f.links {
		for _, p := range []port{a, f.ends[a].peer} {
			uses[p.device]++
			peer := f.ends[p].peer.device
			bySwitch[p.device] = bySwitch[p.device] || f.devices[peer].declared && f.devices[peer].kind == kindSwitch
		}
	}
	for i := range f.devices {
		d := &f.devices[i]
		if d.kind == kindUnknown {
			switch {
			case strings.HasPrefix(d.id, "S-"):
				d.kind = kindSwitch
			case strings.HasPrefix(d.id, "H-"):
				d.kind = kindAdapter
			case strings.HasPrefix(d.id, "R-"):
				d.kind = kindOther
			case !bySwitch[i] && !anySwitch:
				d.kind = kindSwitch
			case uses[i] > 1:
				return f.fail(d.line, "give it a Switch or Ca block; the file may be cut short",
					"%s is used on %d ports but not described", f.label(int32(i)), uses[i])
			default:
				d.kind = kindAdapter
			}
		}
		if d.kind == kindSwitch && !d.declared && anySwitch {
			return f.fail(d.line, cutHint, "switch %s is used but not described", f.label(int32(i)))
		}
		if d.kind == kindAdapter && strings.Contains(d.description, "Aggregation Node") {
			d.kind = kindOther
		}
	}
	if err := f.described(); err != nil {
		return err
	}
	for _, a := range f.links {
		if b := f.ends[a].peer; f.devices[a.device].kind == kindAdapter && f.devices[b.device].kind == kindAdapter {
			return f.fail(f.ends[a].line, "hosts are joined to switches", "%s and %s are joined without a switch",
				f.label(a.device), f.label(b.device))
		}
	}
	return nil
}

// described refuses adapters that only their switches mention, in a file that
// describes adapters: it lost its end, and hosts with it. Hand-written files
// without any such block (ibsim) are complete as they are.
func (f *fabric) described() error {
	all := f.dump
	for i := range f.devices {
		all = all || f.devices[i].declared && f.devices[i].kind == kindAdapter
	}
	for i := range f.devices {
		if d := &f.devices[i]; all && d.kind == kindAdapter && !d.declared {
			return f.fail(d.line, cutHint, "adapter %s is used here but never described", f.label(int32(i)))
		}
	}
	return nil
}

// hostName is the node description up to the first blank.
func (d *device) hostName() string {
	if name, _, _ := strings.Cut(strings.TrimSpace(d.description), " "); name != "" {
		return name
	}
	return d.id
}

// topology makes the network. The order of blocks in the file changes nothing:
// hosts and switches are in natural order of their names.
func (f *fabric) topology() (*Topology, error) {
	if err := f.resolve(); err != nil {
		return nil, err
	}
	t := &Topology{Name: f.file}
	linked := f.leaveOut()
	if err := f.connected(linked); err != nil {
		return nil, err
	}
	f.number(t, linked)
	ends, cables, err := f.cables(t)
	if err != nil {
		return nil, err
	}
	if err := t.wire(cables); err != nil {
		return nil, f.fail(0, cutHint, "%v", err)
	}
	t.Ports = f.ports(t, ends)
	if err := t.routeUpDown(nil); err != nil {
		return nil, f.fail(0, cutHint, "%v", err)
	}
	t.fabricLevels()
	t.Warnings = f.warnings
	if err := t.Check(); err != nil {
		return nil, f.fail(0, cutHint, "%v", err)
	}
	return t, nil
}

// leaveOut marks the devices that have a link to keep, and warns of the rest.
func (f *fabric) leaveOut() (linked []bool) {
	linked = make([]bool, len(f.devices))
	for _, a := range f.links {
		b := f.ends[a].peer
		if f.devices[a.device].kind != kindOther && f.devices[b.device].kind != kindOther {
			linked[a.device], linked[b.device] = true, true
		}
	}
	var others, bare []int32
	for i := range f.devices {
		if f.devices[i].kind == kindOther {
			others = append(others, int32(i))
		} else if !linked[i] {
			bare = append(bare, int32(i))
		}
	}
	f.warnAll(others, "routers or aggregation nodes are no hosts and left out")
	f.warnAll(bare, "switches or adapters have no links and are left out")
	return linked
}

func (f *fabric) warnAll(devices []int32, what string) {
	if len(devices) > 0 {
		f.warn("%d %s, first %s on line %d", len(devices), what, f.label(devices[0]), f.devices[devices[0]].line)
	}
}

// connected refuses hosts that others cannot reach, and clears linked for
// switches that lead to no host.
func (f *fabric) connected(linked []bool) error {
	parent := make([]int32, len(f.devices))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(d int32) int32 {
		for parent[d] != d {
			parent[d] = parent[parent[d]]
			d = parent[d]
		}
		return d
	}
	for _, a := range f.links {
		b := f.ends[a].peer
		if f.devices[a.device].kind == kindSwitch && f.devices[b.device].kind == kindSwitch {
			parent[root(a.device)] = root(b.device)
		}
	}
	ports := f.hostLinks()
	adapters := make([]int, len(f.devices)) // of each part, by its root
	hosts, main := map[string]int32{}, int32(-1)
	var rails [][]int32 // of each host, the roots its adapters lead to
	for _, a := range ports {
		r, name := root(f.ends[a].peer.device), f.devices[a.device].hostName()
		if adapters[r]++; main < 0 || adapters[r] > adapters[main] {
			main = r
		}
		h, ok := hosts[name]
		if !ok {
			h = int32(len(rails))
			hosts[name], rails = h, append(rails, nil)
		}
		rails[h] = append(rails[h], r)
	}
	if main < 0 {
		return f.noHost()
	}
	cut := strangers(len(rails), len(f.devices), func(buffer []int32, h int32) []int32 {
		return append(buffer, rails[h]...)
	})
	for _, a := range ports {
		if name := f.devices[a.device].hostName(); slices.Contains(cut, hosts[name]) {
			return f.fail(f.ends[a].line, "give each fabric a file of its own, or repair the missing links",
				"the network is not connected: host %s on switch %s is not reached by most others "+
					"(%d of %d adapter ports are in the largest part)",
				name, f.label(f.ends[a].peer.device), adapters[main], len(ports))
		}
	}
	var idle []int32
	for i := range f.devices {
		if linked[i] && f.devices[i].kind == kindSwitch && adapters[root(int32(i))] == 0 {
			linked[i] = false
			idle = append(idle, int32(i))
		}
	}
	f.warnAll(idle, "switches lead to no host and are left out")
	return nil
}

func (f *fabric) noHost() error {
	for i := range f.devices {
		if d := &f.devices[i]; d.kind == kindAdapter {
			return f.fail(d.line, cutHint, "adapter %s has no links, and no other host has", f.label(int32(i)))
		}
	}
	return f.fail(f.lastLine, cutHint, "no host in the file")
}

// hostLinks are the adapters' ends of the links between adapters and switches.
func (f *fabric) hostLinks() []port {
	var ports []port
	for _, a := range f.links {
		b := f.ends[a].peer
		ka, kb := f.devices[a.device].kind, f.devices[b.device].kind
		if ka == kindAdapter && kb == kindSwitch {
			ports = append(ports, a)
		} else if ka == kindSwitch && kb == kindAdapter {
			ports = append(ports, b)
		}
	}
	return ports
}

// number gives nodes to switches and hosts; several adapters of one name are
// rails of one host.
func (f *fabric) number(t *Topology, linked []bool) {
	var switches, adapters []int32
	named := map[string]int{}
	for i := range f.devices {
		d := &f.devices[i]
		if linked[i] && d.kind == kindSwitch {
			switches = append(switches, int32(i))
			d.description = cmp.Or(strings.TrimSpace(d.description), d.id)
			named[d.description]++
		} else if linked[i] && d.kind == kindAdapter {
			adapters = append(adapters, int32(i))
		}
	}
	name := func(i int32) string {
		d := &f.devices[i]
		if other, taken := f.index[d.description]; named[d.description] > 1 || taken && other != i {
			return d.id
		}
		return d.description
	}
	slices.SortFunc(adapters, func(a, b int32) int {
		return cmp.Or(naturalCompare(f.devices[a].hostName(), f.devices[b].hostName()), cmp.Compare(a, b))
	})
	var rails []int // adapters of each host
	for _, i := range adapters {
		d := &f.devices[i]
		if n := len(t.HostNames); n == 0 || t.HostNames[n-1] != d.hostName() {
			t.HostNames, rails = append(t.HostNames, d.hostName()), append(rails, 0)
		}
		d.node = int32(len(t.HostNames) - 1)
		rails[d.node]++
	}
	for h, count := range rails {
		if count > manyRails {
			f.warn("host %s has %d adapters: probably a default node description shared by several machines",
				t.HostNames[h], count)
		}
	}
	slices.SortFunc(switches, func(a, b int32) int { return naturalCompare(name(a), name(b)) })
	for k, i := range switches {
		f.devices[i].node = int32(len(t.HostNames) + k)
		t.SwitchNames = append(t.SwitchNames, name(i))
	}
}

// cables lists the links to keep, those of hosts first: by host, adapter and
// port; then those between switches by node and port. ends are the cables' a.
func (f *fabric) cables(t *Topology) (ends []port, _ []cable, _ error) {
	for _, a := range f.links {
		b := f.ends[a].peer
		da, db := &f.devices[a.device], &f.devices[b.device]
		if da.node < 0 || db.node < 0 || da.kind == kindOther || db.kind == kindOther {
			continue
		}
		if f.ends[a].gbps == 0 && f.anyRate {
			return nil, nil, f.fail(f.ends[a].line, cutHint,
				"the link of port %d of %s has no rate, though others have", a.number, f.label(a.device))
		}
		if da.node > db.node {
			a = b
		}
		ends = append(ends, a)
	}
	slices.SortFunc(ends, func(a, b port) int {
		da, db := &f.devices[a.device], &f.devices[b.device]
		return cmp.Or(cmp.Compare(da.node, db.node), naturalCompare(da.description, db.description),
			cmp.Compare(da.id, db.id), cmp.Compare(a.number, b.number))
	})
	if !f.anyRate {
		f.warn("the file gives no link rates: %d Gb/s assumed for every link", defaultGbps)
	}
	cables := make([]cable, len(ends))
	for i, a := range ends {
		e := f.ends[a]
		cables[i] = cable{f.devices[a.device].node, f.devices[e.peer.device].node, a.number, e.peer.number,
			cmp.Or(e.gbps, defaultGbps) * 1e9 / 8, defaultLatency}
	}
	return ends, cables, nil
}
