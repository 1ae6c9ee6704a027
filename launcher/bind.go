package launcher

import (
	"fmt"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// Bind is which processors of its host a rank may run on.
type Bind string

// The kinds of binding. BindDefault leaves it to the launcher.
const (
	BindDefault Bind = ""
	BindCore    Bind = "core"
	BindSocket  Bind = "socket"
	BindNone    Bind = "none"
)

// ParseBind reads core, socket or none. Error: another word.
func ParseBind(text string) (Bind, error) {
	switch b := Bind(text); b {
	case BindCore, BindSocket, BindNone:
		return b, nil
	}
	return "", &input.Error{Reason: fmt.Sprintf("unknown binding %q", text), Hint: "known: core, socket, none"}
}

// Cores are the processors of a host: sockets with as many cores each. The zero value: not known.
type Cores struct{ Sockets, PerSocket int }

// maxCores bounds the cores of a host.
const maxCores = 1 << 16

// ParseCores reads SOCKETSxCORES, such as 2x16 for two sockets with 16 cores each. Error: not of that
// form, or more than 65,536 cores.
func ParseCores(text string) (Cores, error) {
	const hint = "write SOCKETSxCORES, such as 2x16 for two sockets with 16 cores each"
	left, right, found := strings.Cut(text, "x")
	sockets, err := linescan.Whole(left)
	cores, wrong := linescan.Whole(right)
	if !found || err != nil || wrong != nil || sockets < 1 || cores < 1 || sockets > maxCores ||
		cores > maxCores || sockets*cores > maxCores {
		return Cores{}, &input.Error{Reason: fmt.Sprintf("%q are no cores of a host", text), Hint: hint}
	}
	return Cores{int(sockets), int(cores)}, nil
}

// core is the core of a slot of a host with so many slots: slots are spread evenly over the cores, so
// that consecutive slots are neighbours; the slot's own number where cores are not known.
func (c Cores) core(slot, slots int32) int {
	if c.Sockets == 0 {
		return int(slot)
	}
	return int(int64(slot) * int64(c.Sockets*c.PerSocket) / int64(slots))
}

// check refuses hosts with more ranks than cores, where each is to have its own.
func (c Cores) check(p *Placement, b Bind) error {
	if c.Sockets == 0 || b != BindCore {
		return nil
	}
	for h, ranks := range p.byHost() {
		if len(ranks) == 0 || int(p.Hosts[h].Slots) <= c.Sockets*c.PerSocket {
			continue
		}
		return &input.Error{Reason: fmt.Sprintf("host %s has %d slots and %d x %d cores: ranks would share a core",
			p.Hosts[h].Name, p.Hosts[h].Slots, c.Sockets, c.PerSocket),
			Hint: "fewer slots a host (--ranks-per-host), or --bind socket or none"}
	}
	return nil
}
