package launcher

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"remap/input"
	"remap/mapping"
	"remap/topology"
)

// Options of a launcher's file.
type Options struct {
	// Bind is which processors of its host a rank may run on.
	Bind Bind
	// Cores of every host; needed to tell sockets.
	Cores Cores
	// Force writes what the format cannot hold as well as it can, with a warning in the file, if the
	// format has comments.
	Force bool
}

// ErrCannotHold is what the error of Check and WritePlacement wraps for a placement that the format cannot
// hold, and that Options.Force may write all the same.
var ErrCannotHold = errors.New("the format cannot hold the placement")

// Write writes a mapping in the named format with the default options; it must pass Check for the
// allocation. Errors: those of WritePlacement.
func Write(w io.Writer, name string, machine *topology.Topology, a *mapping.Allocation,
	m mapping.Mapping) error {
	return WritePlacement(w, name, NewPlacement(machine, a, m), Options{})
}

// CheckOptions tells whether the format knows the options. Errors are *input.Error: an unknown format, a
// binding that neither its files nor its launcher know, or that needs cores which are not known.
func CheckOptions(name string, o Options) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	return f.checkBind(o)
}

// CanForce tells whether the format has a place for the warning with which Options.Force writes.
func CanForce(name string) bool {
	f, err := find(name)
	return err == nil && f.comments
}

// WarningMark begins the first line of a file that Options.Force has written.
const WarningMark = "# warning: "

// MayRefuse tells whether there are mappings that the format cannot hold.
func MayRefuse(name string) bool {
	f, err := find(name)
	return err == nil && f.holds != nil
}

// CheckHosts is what Check says of a placement on all of these hosts, but for the order of ranks.
func CheckHosts(name string, hosts []topology.HostSlots, o Options) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	p := &Placement{Hosts: hosts}
	for h := range hosts {
		p.Host, p.Slot = append(p.Host, int32(h)), append(p.Slot, 0)
	}
	return f.checkHosts(p, o)
}

// checkHosts refuses options, hosts without a core for every slot, and names.
func (f format) checkHosts(p *Placement, o Options) error {
	if err := f.checkBind(o); err != nil {
		return err
	}
	if err := o.Cores.check(p, o.Bind); err != nil {
		return err
	}
	if f.names == nil {
		return nil
	}
	return f.names(p)
}

// Check tells whether the format can hold a placement with these options. Errors are *input.Error: an
// unknown format, no ranks, a binding that the format does not know, a host name that the launcher
// would not understand, and, wrapping ErrCannotHold, places or an order that it has no words for.
func Check(name string, p *Placement, o Options) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	if p.Ranks() == 0 && f.hint != "" { // the native formats hold it
		return &input.Error{Reason: fmt.Sprintf("a mapping of no ranks cannot be written as %s", name),
			Hint: "a launcher needs one rank at least"}
	}
	if err := f.checkHosts(p, o); err != nil {
		return err
	}
	if f.holds == nil {
		return nil
	}
	if reason := f.holds(p); reason != "" {
		return &input.Error{Reason: fmt.Sprintf("%s cannot hold this mapping: %s", name, reason),
			Hint: f.instead(p), Err: ErrCannotHold}
	}
	return nil
}

// instead says which formats can hold what this one cannot.
func (f format) instead(p *Placement) string {
	var can []string
	for _, other := range table() {
		if other.launch != nil && (other.holds == nil || other.holds(p) == "") {
			can = append(can, other.name)
		}
	}
	text := "formats that can: " + strings.Join(can, ", ")
	if f.numbers && f.holds(p.trimmed()) == "" {
		text = fmt.Sprintf("give the job the used hosts alone (--hosts '%s'), or another "+
			"format; ", p.needed()) + text
	}
	if f.comments {
		text += "; --force writes what it can hold"
	}
	return text
}

// trimmed is the placement on the hosts that hold ranks, with no more slots than ranks.
func (p *Placement) trimmed() *Placement {
	t := &Placement{Host: make([]int32, p.Ranks()), Slot: make([]int32, p.Ranks())}
	ranks := p.byHost()
	for _, h := range p.used() {
		for slot, r := range ranks[h] {
			t.Host[r], t.Slot[r] = int32(len(t.Hosts)), int32(slot)
		}
		t.Hosts = append(t.Hosts, topology.HostSlots{Name: p.Hosts[h].Name, Slots: int32(len(ranks[h]))})
	}
	return t
}

// needed is the host list under which a format that numbers hosts or slots can hold the placement.
func (p *Placement) needed() string {
	const most = 8
	var list []string
	ranks := p.byHost()
	for i, h := range p.used() {
		if i == most {
			list = append(list, "...")
			break
		}
		list = append(list, fmt.Sprintf("%s:%d", p.Hosts[h].Name, len(ranks[h])))
	}
	return strings.Join(list, ",")
}

// WritePlacement writes a placement in the named format. Errors: those of Check, except that
// Options.Force turns one that wraps ErrCannotHold into a comment in the file where the format has
// comments, and those of w.
func WritePlacement(w io.Writer, name string, p *Placement, o Options) error {
	err := Check(name, p, o)
	f, _ := find(name)
	forced := o.Force && f.comments && errors.Is(err, ErrCannotHold)
	if err != nil && !forced {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if forced {
		fmt.Fprintf(out, "%s%s\n", WarningMark, err)
	}
	if err := f.write(out, p, o); err != nil {
		return err
	}
	return out.Flush()
}
