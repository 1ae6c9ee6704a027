package workload

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// traced is a program with what each operation carries.
type traced struct {
	*Program
	data []payload // length operations
}

// trace builds a program and notes the payloads of its collectives.
func trace(t rapid.TB, ranks int, fill func(b *Builder)) traced {
	t.Helper()
	b := NewBuilder(ranks, 0)
	var data []payload
	b.watch = func(_ Op, d payload) { data = append(data, d) }
	for range ranks {
		fill(b)
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return traced{p, data}
}

// memory is what the program of a rank works on: how what it sends is taken
// and what it receives is kept. Nil ignores the data.
type memory interface {
	take(rank int32, d payload) any
	keep(rank int32, d payload, sent any)
}

// interpreter runs a program without time: any rank that can go on may be the
// next. It knows matching by peer and tag in the order of posting, eager and
// synchronous sends.
type interpreter struct {
	p          traced
	data       memory
	random     *rand.Rand
	sync       func() bool // is the next send synchronous?
	at         []int32     // next operation of each rank
	began      []bool      // the operation in hand is posted
	requests   [][]*transfer
	unexpected [][]*transfer // of each receiver, in order
	posted     [][]*transfer
}

// transfer is a message or a receive.
type transfer struct {
	from, to int32
	tag      uint16
	bytes    int64
	data     payload // of a receive
	sent     any     // of a message
	done     bool
}

// run ends with an error if ranks wait for ever, if messages or receives are
// left, or if a receive expects another size than it gets.
func (x *interpreter) run() error {
	n := x.p.Ranks()
	x.at, x.began = make([]int32, n), make([]bool, n)
	copy(x.at, x.p.Offsets)
	x.requests, x.unexpected, x.posted = make([][]*transfer, n), make([][]*transfer, n), make([][]*transfer, n)
	for {
		moved, left := false, 0
		for _, r := range x.random.Perm(n) {
			for x.at[r] < x.p.Offsets[r+1] {
				ok, err := x.step(int32(r))
				if err != nil {
					return err
				}
				if !ok {
					break
				}
				moved = true
				if x.random.IntN(3) == 0 {
					break
				}
			}
			if x.at[r] < x.p.Offsets[r+1] {
				left++
			}
		}
		switch {
		case left == 0:
			return x.leftovers()
		case !moved:
			return fmt.Errorf("%d ranks wait for ever", left)
		}
	}
}

func (x *interpreter) leftovers() error {
	for r := range x.p.Ranks() {
		if len(x.unexpected[r])+len(x.posted[r]) > 0 {
			return fmt.Errorf("rank %d is left with %d messages and %d "+
				"receives", r, len(x.unexpected[r]), len(x.posted[r]))
		}
	}
	return nil
}

// step tries to finish the operation in hand of a rank.
func (x *interpreter) step(r int32) (bool, error) {
	i := x.at[r]
	op := x.p.Ops[i]
	var err error
	if !x.began[r] {
		x.began[r] = true
		switch {
		case op.Kind.IsSend():
			err = x.postSend(r, op, x.p.data[i])
		case op.Kind.IsReceive():
			err = x.postReceive(r, op, x.p.data[i])
		}
	}
	all := x.requests[r]
	ended := true
	switch op.Kind {
	case Send, Receive:
		if ended = all[len(all)-1].done; ended {
			x.requests[r] = all[:len(all)-1]
		}
	case Wait:
		ended = all[op.Bytes].done
	case WaitAll:
		for _, q := range all {
			ended = ended && q.done
		}
	}
	if ended {
		x.at[r]++
		x.began[r] = false
	}
	return ended, err
}

func (x *interpreter) postSend(r int32, op Op, d payload) error {
	m := &transfer{from: r, to: op.Peer, tag: op.Tag, bytes: op.Bytes, done: !x.sync()}
	if x.data != nil {
		m.sent = x.data.take(r, d)
	}
	x.requests[r] = append(x.requests[r], m)
	for k, v := range x.posted[op.Peer] {
		if v.takes(m) {
			x.posted[op.Peer] = append(x.posted[op.Peer][:k:k], x.posted[op.Peer][k+1:]...)
			return x.deliver(m, v)
		}
	}
	x.unexpected[op.Peer] = append(x.unexpected[op.Peer], m)
	return nil
}

func (x *interpreter) postReceive(r int32, op Op, d payload) error {
	v := &transfer{from: op.Peer, to: r, tag: op.Tag, bytes: op.Bytes, data: d}
	x.requests[r] = append(x.requests[r], v)
	for k, m := range x.unexpected[r] {
		if v.takes(m) {
			x.unexpected[r] = append(x.unexpected[r][:k:k], x.unexpected[r][k+1:]...)
			return x.deliver(m, v)
		}
	}
	x.posted[r] = append(x.posted[r], v)
	return nil
}

func (v *transfer) takes(m *transfer) bool {
	return (v.from == AnySource || v.from == m.from) && (v.tag == AnyTag || v.tag == m.tag)
}

func (x *interpreter) deliver(m, v *transfer) error {
	if v.bytes != m.bytes {
		return fmt.Errorf("rank %d expects %d bytes of rank %d and gets %d", v.to, v.bytes, m.from, m.bytes)
	}
	m.done, v.done = true, true
	if x.data != nil {
		x.data.keep(v.to, v.data, m.sent)
	}
	return nil
}

// sending is eager, synchronous, or a mixture.
var sendings = map[string]func(*rand.Rand) func() bool{
	"eager":       func(*rand.Rand) func() bool { return func() bool { return false } },
	"synchronous": func(*rand.Rand) func() bool { return func() bool { return true } },
	"mixed":       func(r *rand.Rand) func() bool { return func() bool { return r.IntN(2) == 0 } },
}

// mustEnd runs a program in all ways of sending; data, if not nil, makes a
// memory for each and looks at it afterwards.
func mustEnd(t rapid.TB, what string, p traced, seed uint64, data func() (memory, func())) {
	t.Helper()
	for _, way := range []string{"eager", "synchronous", "mixed"} {
		random := rand.New(rand.NewPCG(seed, 7))
		x := interpreter{p: p, random: random, sync: sendings[way](random)}
		look := func() {}
		if data != nil {
			x.data, look = data()
		}
		if err := x.run(); err != nil {
			t.Fatalf("%s, %s: %v", what, way, err)
		}
		look()
	}
}
