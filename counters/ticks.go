package counters

import (
	"slices"

	"remap/topology"
)

// family is how a generation of switches counts PortXmitWait.
type family struct {
	name    string
	tick    int // as its ports report it
	perLane bool
}

// NVIDIA, ibdiagnet user manual, "Congestion Assessment on InfiniBand Links": a
// Quantum counts 8 bytes of a port (tick 7: lost bytes = counter x (tick+1)),
// those before 32 bytes of every lane (tick 31: counter x (tick+1) x lanes).
var (
	quantum = family{"Quantum", 7, false}
	switchX = family{"SwitchX and Switch-IB", 31, true}
)

// models are the device ids of switches whose family is known: SwitchX, Switch-IB,
// Switch-IB 2; Quantum, Quantum-2, Quantum-3.
var models = map[uint32]family{0xc738: switchX, 0xcb20: switchX, 0xcf08: switchX, 0xd2f0: quantum,
	0xd2f2: quantum, 0xd2f4: quantum}

// hdrLane is the rate of the first lanes that only Quantum has, in bytes a second.
const hdrLane = 50e9 / 8

// familyOf is that of the switch, else guessed from the speed of a lane: HDR came
// with Quantum.
func familyOf(machine *topology.Topology, link int32) (f family, guessed bool) {
	lanes := float64(lanesOf(machine, link))
	if machine.Ports != nil {
		if f, known := models[machine.Ports[link].DeviceID]; known {
			return f, false
		}
	}
	if machine.Links[link].BytesPerSecond/lanes >= hdrLane {
		return quantum, true
	}
	return switchX, true
}

// lanesOf is 4, as nearly all links have, where the fabric file does not say.
func lanesOf(machine *topology.Topology, link int32) int32 {
	if machine.Ports == nil || machine.Ports[link].Lanes == 0 {
		return 4
	}
	return machine.Ports[link].Lanes
}

// ticks turns counts of PortXmitWait into lost bytes, and remembers what it had
// to assume.
type ticks struct {
	machine *topology.Topology
	said    int // --xmit-wait-tick, -1 = not
	guessed map[string]int
}

// lostBytes is what the port could have sent in one count. tick is what its
// samples control says, -1 = nothing.
func (t *ticks) lostBytes(link int32, tick int) float64 {
	f, guessed := familyOf(t.machine, link)
	if tick < 0 {
		tick = t.said
	}
	if tick < 0 {
		tick = f.tick
	}
	if guessed {
		t.guessed[f.name]++
	}
	bytes := float64(tick + 1)
	if f.perLane {
		bytes *= float64(lanesOf(t.machine, link))
	}
	return bytes
}

// tickWarning begins each warning of how ports count.
const tickWarning = "PortXmitWait counts as on "

// warn tells what was assumed of ports that had waited.
func (t *ticks) warn(b *builder) {
	var names []string
	for name := range t.guessed {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.warn("%s%s, guessed from the speed of the link (%d ports); --xmit-wait-tick N sets the tick that"+
			" perfquery -c prints", tickWarning, name, t.guessed[name])
	}
}
