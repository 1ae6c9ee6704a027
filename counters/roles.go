package counters

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/nearest"
)

// roles are what columns of a table can hold, each with the names by which it is
// known, in lower case: neutral form, links files, and what LDMS samplers write
// (sysclassib and ibmad: ib.port_xmit_data#mlx5_0.1; opa2: PortXmitData beside
// ca_name and port; slingshot_metrics: hni_sts_tx_ok_octets). Of several columns
// that would do, the one whose name comes first is taken.
var roles = []struct {
	name, doc string
	columns   []string
}{
	{"from", "host or switch whose port it is", []string{"from", "node", "hostname", "host", "producername",
		"switch"}},
	{"port", "number of its port", []string{"port", "port_number", "portnum"}},
	{"to", "host or switch at the other end", []string{"to", "peer"}},
	{"device", "adapter within a host, such as mlx5_0",
		[]string{"ca_name", "device", "hca", "nic", "nic_name", "dev"}},
	{"time", "seconds since any moment; counters then count on from row to row", []string{"time", "timestamp"}},
	{"seconds", "time that the row is of", []string{"seconds", "dt"}},
	{"bytes", "bytes sent", []string{"bytes", "tx_bytes", "hni_sts_tx_ok_octets", "hni_tx_ok_octets"}},
	{"words", "4-byte words sent", []string{"port_xmit_data", "portxmitdata", "xmitdata"}},
	{"received-bytes", "bytes received", []string{"received_bytes", "rx_bytes", "hni_sts_rx_ok_octets",
		"hni_rx_ok_octets"}},
	{"received-words", "4-byte words received", []string{"port_rcv_data", "portrcvdata", "rcvdata"}},
	{"wait", "ticks in which the port had data and sent none",
		[]string{"port_xmit_wait", "portxmitwait", "xmitwait"}},
	{"busy", "share of the time in which the port sent", []string{"busy_fraction", "utilization"}},
	{"congested", "share of the time in which the port had data and could send " +
		"none", []string{"stalled_fraction", "congested_fraction"}},
}

// Roles lists what Options.Columns can name.
func Roles() []string {
	names := make([]string, len(roles))
	for i := range roles {
		names[i] = roles[i].name
	}
	return names
}

// ParseColumns reads ROLE=NAME,ROLE=NAME... Errors are *input.Error without a file.
func ParseColumns(text string) (map[string]string, error) {
	columns := map[string]string{}
	for _, entry := range strings.Split(text, ",") {
		role, name, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return nil, &input.Error{Reason: fmt.Sprintf("expected ROLE=COLUMN, "+
				"found %q", clip(entry)), Hint: "roles: " + strings.Join(Roles(), ", ")}
		}
		if !slices.Contains(Roles(), role) {
			hint := "roles: " + strings.Join(Roles(), ", ")
			if near := nearest.Name(role, Roles()); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, &input.Error{Reason: fmt.Sprintf("unknown role %q", clip(role)), Hint: hint}
		}
		if _, twice := columns[role]; twice {
			return nil, &input.Error{Reason: "the column of " + role + " is named " +
				"twice", Hint: "each role has one column"}
		}
		columns[role] = name
	}
	return columns, nil
}

// simple is a column's name as roles know it.
func simple(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "#")
	return strings.TrimPrefix(name, "ib.")
}

// layout says in which column of a table everything stands.
type layout struct {
	at      map[string]int // by role; those of one adapter's port stand in adapters
	ports   []adapter      // LDMS: ports that have columns of their own, in order
	columns int
}

// adapter is a port whose counters have columns ending in #DEVICE.PORT.
type adapter struct {
	device string
	number int32
	at     map[string]int
}

// readHeader finds the roles of columns. hasAny is false when none is known.
func readHeader(header []string, named map[string]string) (l *layout, missing string) {
	l = &layout{at: map[string]int{}, columns: len(header)}
	rank := map[string]int{}
	for c, name := range header {
		plain, suffix, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), "#"), "#")
		for _, role := range roles {
			place := slices.Index(role.columns, simple(plain))
			if _, chosen := named[role.name]; place < 0 || chosen {
				continue
			}
			if device, number, ok := adapterPort(suffix); ok {
				l.adapter(device, number).at[role.name] = c
			} else if before, known := rank[role.name]; suffix == "" && (!known || place < before) {
				l.at[role.name], rank[role.name] = c, place
			}
		}
	}
	for _, role := range Roles() {
		want, chosen := named[role]
		if !chosen {
			continue
		}
		c := slices.IndexFunc(header, func(name string) bool {
			return strings.TrimPrefix(strings.TrimSpace(name), "#") == strings.TrimPrefix(want, "#")
		})
		if c < 0 {
			return nil, want
		}
		l.at[role] = c
	}
	return l, ""
}

// adapterPort reads DEVICE.PORT.
func adapterPort(text string) (device string, number int32, ok bool) {
	dot := strings.LastIndexByte(text, '.')
	if dot < 1 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(text[dot+1:], 10, 31)
	return text[:dot], int32(n), err == nil
}

func (l *layout) adapter(device string, number int32) *adapter {
	for i := range l.ports {
		if l.ports[i].device == device && l.ports[i].number == number {
			return &l.ports[i]
		}
	}
	l.ports = append(l.ports, adapter{device, number, map[string]int{}})
	return &l.ports[len(l.ports)-1]
}

func (l *layout) has(role string) bool { _, ok := l.at[role]; return ok }

// tells whether the table says anything of traffic or congestion.
func (l *layout) tells() bool {
	for _, role := range []string{"bytes", "words", "received-bytes", "received-words", "wait", "busy",
		"congested"} {
		if l.has(role) {
			return true
		}
	}
	return len(l.ports) > 0
}
