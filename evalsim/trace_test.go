package evalsim

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"remap/topology"
	"remap/workload"
)

var rewrite = flag.Bool("rewrite", false, "write what the simulator does into testdata/trace instead of "+
	"testing it")

// Every file of testdata/trace tells a network, options and a program, and all
// that happens to every packet of it: to be read by eye, and to fail when it
// changes. After a change that is meant: go test ./evalsim -run Trace -rewrite
func TestTrace(t *testing.T) {
	files, err := filepath.Glob("testdata/trace/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := traceOf(t, archive)
			last := &archive.Files[len(archive.Files)-1]
			if last.Name != "events" {
				t.Fatalf("the last section is %q, not events", last.Name)
			}
			if bytes.Equal(got, last.Data) {
				return
			}
			if !*rewrite {
				t.Fatalf("the events are now:\n%s", got)
			}
			last.Data = got
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// traceOf plays a script and checks that the log is complete and in order.
func traceOf(t *testing.T, archive *txtar.Archive) []byte {
	script := &script{t: t, options: DefaultOptions()}
	for _, f := range archive.Files {
		for line := range strings.Lines(string(f.Data)) {
			if fields := strings.Fields(line); len(fields) > 0 {
				script.line(f.Name, fields)
			}
		}
	}
	simulation, err := New(script.top, []Job{{Program: script.program(), Hosts: script.hosts}}, script.options)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulator(simulation.network, simulation.jobs, &simulation.options)
	s.reset(script.options.Seed)
	log := newTracer(s)
	s.observe = log.observe
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.outcome(); err != nil {
		t.Fatal(err)
	}
	r := s.result()
	log.check(t, r)
	return fmt.Appendf(log.text(), "%12.3f  all done: %d packets over %d links, %d found a port "+
		"congested\n", r.Makespan, r.Packets, r.PacketHops, r.Congested)
}

// script is what a trace's file asks for.
type script struct {
	t       *testing.T
	top     *topology.Topology
	options Options
	ranks   [][]workload.Op
	hosts   []int32
}

func (c *script) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// line takes a line of a section: topology (a spec, then `slow LINK=FRACTION` or
// `fail LINK`), options (NAME VALUE) or program (RANK VERB ...).
func (c *script) line(section string, fields []string) {
	var err error
	switch section {
	case "topology":
		switch fields[0] {
		case "slow":
			c.top, err = topology.Degrade(c.top, nil, fields[1:])
		case "fail":
			c.top, err = topology.Degrade(c.top, fields[1:], nil)
		default:
			c.top, err = topology.Parse(fields[0])
		}
	case "options":
		switch name, value := fields[0], fields[1]; name {
		case "switching":
			c.options.Switching, err = ParseSwitching(value)
		case "routing":
			c.options.Routing, err = ParseRouting(value)
		case "packet":
			c.options.PacketBytes = int(c.number(value))
		case "buffer":
			c.options.BufferBytes = int(c.number(value))
		case "eager":
			c.options.EagerBytes = c.number(value)
		case "switch-latency-ns":
			c.options.SwitchLatency = time.Duration(c.number(value))
		case "seed":
			c.options.Seed = uint64(c.number(value))
		default:
			c.t.Fatalf("unknown option %q", name)
		}
	case "program":
		c.operation(fields)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// rank reads a rank, and makes it and those before it.
func (c *script) rank(text string) int {
	rank := int(c.number(text))
	for len(c.ranks) <= rank {
		c.hosts = append(c.hosts, int32(len(c.ranks)))
		c.ranks = append(c.ranks, nil)
	}
	return rank
}

func (c *script) operation(fields []string) {
	rank := c.rank(fields[0])
	var op workload.Op
	switch verb := fields[1]; verb {
	case "sits": // RANK sits on host N
		c.hosts[rank] = int32(c.number(fields[4]))
		return
	case "sends", "isends": // RANK sends PEER BYTES
		op = workload.Op{Kind: workload.Send, Peer: int32(c.rank(fields[2])), Bytes: c.number(fields[3])}
		if verb == "isends" {
			op.Kind = workload.Isend
		}
	case "receives": // RANK receives PEER
		op = workload.Op{Kind: workload.Receive, Peer: int32(c.rank(fields[2]))}
	case "computes": // RANK computes NANOSECONDS
		op = workload.Op{Kind: workload.Compute, Bytes: c.number(fields[2])}
	default:
		c.t.Fatalf("unknown verb %q", verb)
	}
	c.ranks[rank] = append(c.ranks[rank], op)
}

func (c *script) program() *workload.Program {
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for _, list := range c.ranks {
		p.Ops = append(p.Ops, list...)
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// traced is one line of a log.
type traced struct {
	at     int64 // ps
	packet int32 // counted from 1 in the order of cutting; 0 = none
	what   happening
	text   string
}

type happening uint8

const (
	isCut happening = iota
	isQueued
	isSent
	isBack // credit
	hasArrived
	waits
)

// tracer makes a log of what it sees of a simulator between the stages of its
// steps: nothing in the event loop knows of it.
type tracer struct {
	s       *simulator
	flights [][]int32 // by link: packets in flight when last seen, the next to land first
	left    []int64   // by packet: when its last byte leaves the link it is on
	heads   []int32   // by injection link: packet to be sent next when last seen
	stalled []int64   // by link: how long it has waited when last seen
	held    []int32   // by packet: channel whose buffer it holds
	crossed []int32   // by packet: congested ports so far
	number  []int32   // by packet
	ready   []int64   // by packet: when it was ready at the node it is at
	cuts    int32
	events  []traced
}

func newTracer(s *simulator) *tracer {
	l := &tracer{s: s, flights: make([][]int32, s.links), heads: make([]int32, s.hostLinks),
		stalled: make([]int64, s.links)}
	for i := range l.heads {
		l.heads[i] = -1
	}
	return l
}

func (l *tracer) add(at int64, packet int32, what happening, format string, args ...any) {
	l.events = append(l.events, traced{at, l.number[packet], what, fmt.Sprintf(format, args...)})
}

func (l *tracer) node(link int32) string { return l.s.topology.NodeName(l.s.topology.Links[link].To) }

// port names the port of a channel; hosts' by the host alone.
func (l *tracer) port(id int32) string {
	link := &l.s.topology.Links[id/l.s.virtual]
	name := l.s.topology.NodeName(link.From)
	if !l.s.topology.IsHost(link.From) {
		name = fmt.Sprintf("%s port %d", name, link.FromPort)
	}
	if l.s.virtual > 1 {
		name += fmt.Sprintf(" channel %d", id%l.s.virtual)
	}
	return name
}

func (l *tracer) observe(stage int, moves []move) {
	switch stage {
	case haveLanded:
		l.landed()
	case areQueued:
		for i := range moves {
			l.queued(&moves[i])
		}
	case haveStarted:
		l.started()
	}
}

// inFlight is the packets on a link, the next to land first.
func (l *tracer) inFlight(link int32) (packets []int32) {
	s := l.s
	shared := &s.channels[link*s.virtual]
	for p := shared.flight; p >= 0; p = s.packets[p].next {
		packets = append(packets, p)
		if shared.flags&(isApart|hasLeft) == 0 || p == s.alarms.sent[link] {
			break
		}
	}
	return packets
}

// landed finds the packets that are off their links, and the credits these left.
func (l *tracer) landed() {
	s := l.s
	for link := range int32(s.links) {
		now, shared := l.inFlight(link), &s.channels[link*s.virtual]
		for len(l.flights[link]) > 0 && (len(now) == 0 || now[0] != l.flights[link][0]) {
			p := l.flights[link][0]
			l.flights[link] = l.flights[link][1:]
			pk := &s.packets[p]
			l.ready[p] = pk.ready
			if shared.leads < 0 {
				l.add(pk.ready, p, hasArrived, "arrived at %s", l.node(link))
				l.credit(pk.in, p, pk.ready)
			}
			if in := l.held[p]; in >= 0 {
				l.credit(in, p, l.left[p])
			}
			l.held[p] = pk.in
		}
	}
}

// credit tells when the room that a packet leaves is known to its channel.
func (l *tracer) credit(id, p int32, left int64) {
	l.add(left+l.s.classes[l.s.channels[id].class].latency, p, isBack, "credit back at %s: %d "+
		"bytes", l.port(id), l.s.size(&l.s.packets[p]))
}

// queued tells where a packet is in its queue.
func (l *tracer) queued(m *move) {
	s := l.s
	packets, bytes := 0, int32(0)
	for p := s.channels[m.channel].head; p != m.packet; p = s.packets[p].next {
		packets, bytes = packets+1, bytes+s.size(&s.packets[p])
	}
	text := ""
	if packets > 0 {
		text = fmt.Sprintf(" behind %d (%d bytes)", packets, bytes)
	}
	if f := l.flights[m.link]; len(f) > 0 && l.left[f[len(f)-1]] > l.ready[m.packet] {
		text += fmt.Sprintf(", %d is being sent", l.number[f[len(f)-1]])
	}
	congested := int32(s.packets[m.packet].congested & countMask)
	if congested > l.crossed[m.packet] {
		text += ", congested"
	}
	l.crossed[m.packet] = congested
	l.add(l.ready[m.packet], m.packet, isQueued, "queued at %s%s", l.port(m.channel), text)
}

// started finds the packets that were cut from messages and those that have
// begun to be sent, some after a wait for credit.
func (l *tracer) started() {
	s := l.s
	for link := range int32(s.links) {
		shared := &s.channels[link*s.virtual]
		begin := int64(0)
		if now := l.inFlight(link); len(now) > len(l.flights[link]) {
			p := now[len(now)-1]
			if link < s.hostLinks && l.heads[link] != p {
				l.cut(link, p, 0)
			}
			l.flights[link], l.left[p] = now, shared.freeAt
			size := s.size(&s.packets[p])
			begin = shared.freeAt - s.classes[shared.class].sendTime(size)
			port := l.port(link*s.virtual + int32(shared.turn))
			if wait := s.stalled[link] - l.stalled[link]; wait > 0 {
				l.stalled[link] = s.stalled[link]
				l.add(begin-wait, p, waits, "waits at %s for credit, %.3f ns", port, float64(wait)/1000)
			}
			l.add(begin, p, isSent, "sent by %s to %s, off the link at "+
				"%.3f", port, l.node(link), float64(shared.freeAt)/1000)
		}
		if link < s.hostLinks && l.heads[link] != shared.head {
			if l.heads[link] = shared.head; shared.head >= 0 {
				l.cut(link, shared.head, begin)
			}
		}
	}
}

// cut numbers a packet; it is cut when its message is posted or when the packet
// before it begins to be sent.
func (l *tracer) cut(link, p int32, before int64) {
	s := l.s
	for len(l.number) < len(s.packets) {
		l.number, l.held, l.crossed, l.ready, l.left = append(l.number, 0), append(l.held, 0),
			append(l.crossed, 0), append(l.ready, 0), append(l.left, 0)
	}
	l.cuts++
	l.number[p], l.held[p], l.crossed[p] = l.cuts, -1, 0
	m := &s.messages[s.packets[p].message]
	what := fmt.Sprintf("rank %d to rank %d", m.rank, m.peer)
	switch m.kind {
	case requestToSend:
		what = "request of " + what
	case clearToSend:
		what = "answer to request of " + what
	}
	// The last packet of a message is one after which none can be cut nor has been.
	last, following := "", s.channels[link*s.virtual].head
	if m.left == 0 && (following < 0 || following == p || s.packets[following].message != s.packets[p].message) {
		last = ", the last"
	}
	l.add(max(m.posted, before), p, isCut, "cut at %s: %s, %d "+
		"bytes%s", s.topology.NodeName(s.topology.Links[link].From), what, s.size(&s.packets[p]), last)
}

// text is the log in the order of time, and of telling where times are equal.
func (l *tracer) text() []byte {
	slices.SortStableFunc(l.events, func(a, b traced) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	text := []byte("     time ns  packet\n")
	for _, e := range l.events {
		text = fmt.Appendf(text, "%12.3f  %6d  %s\n", float64(e.at)/1000, e.packet, e.text)
	}
	return text
}

// check tests that the log tells the whole story: of every packet it was cut,
// then sent and queued in turn, then it arrived, never back in time; that it is
// as many packets, links, congested ports and credits as the result has.
func (l *tracer) check(t *testing.T, r *Result) {
	counts := map[happening]int64{}
	congested := int64(0)
	at, stage := make([]int64, l.cuts+1), make([]happening, l.cuts+1)
	for _, e := range l.events {
		counts[e.what]++
		if strings.HasSuffix(e.text, ", congested") {
			congested++
		}
		if e.what == isBack || e.what == waits {
			continue
		}
		if e.at < at[e.packet] {
			t.Errorf("packet %d: %q at %d ps, after %d", e.packet, e.text, e.at, at[e.packet])
		}
		follows := map[happening][]happening{isCut: {isCut}, isSent: {isCut, isQueued}, isQueued: {isSent},
			hasArrived: {isSent}}
		if !slices.Contains(follows[e.what], stage[e.packet]) {
			t.Errorf("packet %d: %q follows happening %d", e.packet, e.text, stage[e.packet])
		}
		at[e.packet], stage[e.packet] = e.at, e.what
	}
	for packet, last := range stage[1:] {
		if last != hasArrived {
			t.Errorf("packet %d does not arrive", packet+1)
		}
	}
	if counts[isCut] != r.Packets || counts[isSent] != r.PacketHops || counts[isBack] != r.PacketHops ||
		counts[isQueued] != r.PortHops || congested != r.Congested {
		t.Errorf("the log has %v, %d congested; the result %d packets, %d links, %d ports, %d "+
			"congested", counts, congested, r.Packets, r.PacketHops, r.PortHops, r.Congested)
	}
}
