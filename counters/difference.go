package counters

import (
	"path/filepath"
	"slices"

	"remap/input"
	"remap/topology"
)

// Difference is what happened between two snapshots o.Seconds apart. Links have
//
//	Rate      = 4 x increase of PortXmitData / seconds
//	Congested = increase of PortXmitWait x bytes of a tick / (seconds x rate of the link)
//
// where the network has the port by LID or GUID (topology.FabricPort). A counter
// at its end, or one that went back, is not used; nor is one that stands in one of
// the snapshots alone. Where a port does not tell what it sent, what the far end
// received stands in.
//
// before may be nil: then the counters of after count from 0. With seconds 0 no
// rate is known then, and Congested is the share of what the port wanted to send
// that it could not: lost / (lost + sent).
func Difference(machine *topology.Topology, before, after *Snapshot, o Options) (*Links, error) {
	if machine.Ports == nil {
		return nil, &input.Error{Reason: "ports of perfquery and ibqueryerrors have LIDs and GUIDs, and the " +
			"network " + machine.Name + " has none",
			Hint: "give the output of ibnetdiscover as --topology, or the measurement as CSV with from,port,to"}
	}
	if before != nil && !(o.Seconds > 0) {
		return nil, &input.Error{Reason: "snapshots without the time between " +
			"them", Hint: "--measured-seconds N: the dumps do not say it"}
	}
	d := &difference{builder: newBuilder(machine), index: newIndex(machine), seconds: o.Seconds,
		whole: before == nil,
		ticks: ticks{machine: machine, said: o.Tick, guessed: map[string]int{}}}
	d.after = d.place(after)
	if before != nil {
		d.before = d.place(before)
	}
	if err := d.check(before, after); err != nil {
		return nil, err
	}
	for l := range machine.Links {
		d.link(int32(l))
	}
	d.report(before, after)
	return d.finish(), nil
}

// difference is one in hand.
type difference struct {
	*builder
	index         *index
	before, after []*port // length links: that each leaves; nil = not there
	seconds       float64
	whole         bool // from 0: there is no snapshot before
	ticks         ticks

	strange, missing, saturated, reset []string
}

// place puts the ports of a snapshot at the links that leave them.
func (d *difference) place(s *Snapshot) []*port {
	at := make([]*port, len(d.machine.Links))
	for _, p := range s.inOrder() {
		link, known := d.index.ofPort(p)
		switch {
		case !known && d.index.idle(p):
		case !known:
			d.strange = append(d.strange, p.String())
		case at[link] == nil:
			at[link] = p
		default:
			at[link] = merged(at[link], p)
		}
	}
	return at
}

// merged is one port that two tools call by different names.
func merged(a, b *port) *port {
	both := *a
	for _, of := range []func(*port) *counter{fieldNames["PortXmitData"], fieldNames["PortRcvData"],
		fieldNames["PortXmitWait"]} {
		if c := of(b); c.known {
			of(&both).set(c.value, c.wide)
		}
	}
	both.tick = max(a.tick, b.tick)
	return &both
}

// check refuses snapshots of nothing in this network.
func (d *difference) check(before, after *Snapshot) error {
	for _, s := range []*Snapshot{before, after} {
		if s != nil && s.Ports() == 0 {
			return &input.Error{Reason: "the snapshot has no counters of any " +
				"port", Hint: "write it with perfquery -x or ibqueryerrors --data for every port"}
		}
	}
	placed := func(ports []*port) bool {
		for _, p := range ports {
			if p != nil {
				return true
			}
		}
		return false
	}
	if placed(d.after) && (d.whole || placed(d.before)) {
		return nil
	}
	return &input.Error{Reason: "none of the ports in the dumps has a link in the network " + d.machine.Name,
		Hint: "ports are found by LID or GUID: are the dumps and --topology of one fabric?"}
}

// link fills in what a link's own port says of it and of the link that comes in.
func (d *difference) link(l int32) {
	after := d.after[l]
	var before *port
	if !d.whole {
		before = d.before[l]
	}
	if after == nil || before == nil && !d.whole {
		d.missing = append(d.missing, d.port(int(l)))
		return
	}
	if d.whole {
		zero := counter{known: true, wide: true}
		before = &port{sent: zero, received: zero, waited: zero, tick: -1}
	}
	full, back := len(d.saturated), len(d.reset)
	sent, known := d.increase(l, before.sent, after.sent)
	received, receives := d.increase(l, before.received, after.received)
	waited, waits := d.increase(l, before.waited, after.waited)
	// a port once
	d.saturated, d.reset = d.saturated[:min(len(d.saturated), full+1)], d.reset[:min(len(d.reset), back+1)]
	lost := 0.0
	if waits && waited > 0 {
		lost = waited * d.ticks.lostBytes(l, max(after.tick, before.tick))
	}
	if d.seconds <= 0 {
		if known && lost > 0 {
			d.Congested[l] = lost / (lost + 4*sent)
		}
		return
	}
	if known {
		d.Rate[l], d.Known[l] = 4*sent/d.seconds, true
	}
	if receives {
		d.far[d.machine.Reverse(l)] = 4 * received / d.seconds
	}
	d.Congested[l] = lost / (d.seconds * d.machine.Links[l].BytesPerSecond)
}

// increase is that of a counter; false when it cannot be known.
func (d *difference) increase(l int32, before, after counter) (float64, bool) {
	switch {
	case !before.known || !after.known:
		return 0, false
	case before.saturated() || after.saturated():
		d.saturated = append(d.saturated, d.port(int(l)))
		return 0, false
	case before.value > after.value:
		d.reset = append(d.reset, d.port(int(l)))
		d.back = append(d.back, l)
		return 0, false
	case before.wide != after.wide && !d.whole: // perfquery once, perfquery -x once
		if name := d.port(int(l)); len(d.missing) == 0 || d.missing[len(d.missing)-1] != name {
			d.missing = append(d.missing, name)
		}
		return 0, false
	}
	return float64(after.value - before.value), true
}

// report counts and names what is not as it should be.
func (d *difference) report(before, after *Snapshot) {
	var empty, others []string
	for _, s := range []*Snapshot{before, after} {
		if s == nil {
			continue
		}
		for _, name := range s.empty {
			empty = append(empty, d.named(name))
		}
		for _, name := range s.others {
			others = append(others, filepath.Base(name))
		}
	}
	slices.Sort(d.strange)
	d.strange = slices.Compact(d.strange)
	d.Count.Dead, d.Count.Strange, d.Count.Missing = len(empty), len(d.strange), len(d.missing)
	d.Count.Saturated, d.Count.Reset = len(d.saturated), len(d.reset)
	if d.whole && d.seconds <= 0 {
		d.warn("one snapshot without --measured-seconds: counters since a reset at a time nobody knows. How " +
			"much links carried is unknown and nothing is taken from their rates; of what ports wanted to send, " +
			"the share that they could not is used as congestion")
	} else if d.whole {
		d.warn("one snapshot: the counters are taken as the traffic of the %g s since their reset", d.seconds)
	}
	d.warnNamed(empty, "empty files, of dead ports or where nobody answered (%d)", len(empty))
	d.warnNamed(others, "files without counters of ports, passed over (%d)", len(others))
	d.warnNamed(d.strange, "ports in the dumps that the network does not have (%d)", len(d.strange))
	d.warnNamed(d.missing, "ports without counters in every snapshot (%d)", len(d.missing))
	d.warnNamed(d.saturated, "ports with a counter at its end, which is not used; perfquery -x reads 64 "+
		"bits (%d)", len(d.saturated))
	d.warnNamed(d.reset, "ports with a counter that went back between the snapshots, which is not used "+
		"(%d)", len(d.reset))
	d.ticks.warn(d.builder)
}

// named is a file's name, with the node that its GUID is of.
func (d *difference) named(file string) string {
	name := filepath.Base(file)
	if owner, known := d.index.owners[guidOf(name)]; known {
		return name + " (" + owner + ")"
	}
	return name
}
