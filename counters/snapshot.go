package counters

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// Snapshot is the counters of ports at one moment, gathered from any number of
// files (ReadPerfquery, ReadErrors).
type Snapshot struct {
	ports  map[portName]*port
	empty  []string // names of files without a byte
	others []string // names of files with no counters
}

// NewSnapshot is one without ports.
func NewSnapshot() *Snapshot { return &Snapshot{ports: map[portName]*port{}} }

// Ports is how many ports have been read.
func (s *Snapshot) Ports() int { return len(s.ports) }

// portName is how a dump calls a port; its LID or GUID is 0 when it says none.
type portName struct {
	lid    uint32
	guid   uint64
	number int32
}

// port is what is known of one.
type port struct {
	portName
	kinds                  kind
	sent, received, waited counter
	tick                   int // -1 = not said
	line                   int // where it is first described
	file                   string
}

// kind is a form in which tools print counters; a port has each once.
type kind uint8

const (
	classic  kind = 1 << iota // perfquery: 32 bits wide
	extended                  // perfquery -x
	control                   // perfquery -c
	failures                  // ibqueryerrors
	data                      // ibqueryerrors --counters
)

// counter is a value that was read.
type counter struct {
	value uint64
	known bool
	wide  bool // 64 bits
}

// saturated tells whether a counter stands at its end.
func (c counter) saturated() bool {
	return c.known && (c.value == math.MaxUint32 && !c.wide || c.value == math.MaxUint64)
}

// set keeps the wider of two readings, of equals the first.
func (c *counter) set(value uint64, wide bool) {
	if !c.known || wide && !c.wide {
		*c = counter{value, true, wide}
	}
}

// at finds or adds a port; twice tells that it had this kind before.
func (s *Snapshot) at(name portName, k kind, file string, line int) (p *port, twice bool) {
	p = s.ports[name]
	if p == nil {
		p = &port{portName: name, tick: -1, file: file, line: line}
		s.ports[name] = p
	}
	twice = p.kinds&k != 0
	p.kinds |= k
	return p, twice
}

// inOrder lists the ports by what dumps call them.
func (s *Snapshot) inOrder() []*port {
	all := make([]*port, 0, len(s.ports))
	for _, p := range s.ports {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *port) int {
		return cmp.Or(cmp.Compare(a.lid, b.lid), cmp.Compare(a.guid, b.guid), cmp.Compare(a.number, b.number))
	})
	return all
}

func (p *port) String() string {
	if p.lid > 0 {
		return fmt.Sprintf("lid %d port %d", p.lid, p.number)
	}
	return fmt.Sprintf("0x%x port %d", p.guid, p.number)
}

var guidInName = regexp.MustCompile(`0x([0-9a-fA-F]{8,16})`)

// guidOf is the GUID in the name of a file; 0 when there is none.
func guidOf(name string) uint64 {
	found := guidInName.FindStringSubmatch(name)
	if found == nil {
		return 0
	}
	guid, _ := strconv.ParseUint(found[1], 16, 64) // 16 digits fit
	return guid
}
