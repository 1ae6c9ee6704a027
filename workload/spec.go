package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"remap/input"
)

// spec is a pattern string taken apart: name:EXTENTS,key=value,... . Its
// methods read one option each; the first mistake is kept in err, so that a
// builder asks for all its options and looks once, in finish.
type spec struct {
	text    string
	name    string
	pattern pattern // the row of the table that name stands for
	extents string  // the part without a key, empty if there was none
	column  int     // of extents in text, from 1
	options []option
	err     *input.Error
}

type option struct {
	key, value string
	column     int // of the key in text, from 1
	used       bool
}

// parseSpec splits the text; it knows nothing about patterns.
func parseSpec(text string) *spec {
	name, rest, found := strings.Cut(text, ":")
	s := &spec{text: text, name: strings.TrimSpace(name)}
	if !found {
		return s
	}
	column := len(name) + 2
	for i, part := range strings.Split(rest, ",") {
		key, value, keyed := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case keyed && key != "":
			s.add(option{key: key, value: value, column: column})
		case !keyed && i == 0:
			s.extents, s.column = key, column
		default:
			s.fail(column, "options are written key=value, with commas between", "%q is not an option", part)
		}
		column += len(part) + 1
	}
	return s
}

func (s *spec) add(o option) {
	for _, other := range s.options {
		if other.key == o.key {
			s.fail(o.column, "", "option %s is given twice", o.key)
		}
	}
	s.options = append(s.options, o)
}

// fail keeps the first mistake; without a hint of its own it shows an example.
func (s *spec) fail(column int, hint, format string, args ...any) {
	if hint == "" && s.pattern.example != "" {
		hint = fmt.Sprintf("write for example %s:%s", s.name, s.pattern.example)
	}
	if s.err == nil {
		reason := fmt.Sprintf("pattern %q: ", s.text) + fmt.Sprintf(format, args...)
		s.err = &input.Error{Column: column, Reason: reason, Hint: hint}
	}
}

// take finds an option and marks it as used.
func (s *spec) take(key string) *option {
	for i := range s.options {
		if s.options[i].key == key {
			s.options[i].used = true
			return &s.options[i]
		}
	}
	return nil
}

// int64 reads a whole number in low..high; byDefault if it is not given.
func (s *spec) int64(key string, byDefault, low, high int64) int64 {
	o := s.take(key)
	if o == nil {
		return byDefault
	}
	v, err := strconv.ParseInt(o.value, 10, 64)
	if err != nil || v < low || v > high {
		s.fail(o.column, "", "option %s is %q, must be a whole number from %d to %d", key, o.value, low, high)
		return byDefault
	}
	return v
}

// choice reads one of the words; the first one if it is not given.
func (s *spec) choice(key string, words ...string) string {
	o := s.take(key)
	if o == nil {
		return words[0]
	}
	for _, w := range words {
		if o.value == w {
			return w
		}
	}
	s.fail(o.column, "", "option %s is %q, must be one of %s", key, o.value, strings.Join(words, ", "))
	return words[0]
}

// grid reads the positional extents as count numbers AxBxC.
func (s *spec) grid(count int) []int {
	return s.parseExtents("extents", s.extents, s.column, count)
}

// gridOption reads an option of count numbers AxBxC, which must be given.
func (s *spec) gridOption(key string, count int) []int {
	if o := s.take(key); o != nil {
		return s.parseExtents("option "+key, o.value, o.column+len(key)+1, count)
	}
	return s.parseExtents("option "+key, "", 0, count)
}

// messageBytes, rounds and seed are the options that every pattern takes.
func (s *spec) messageBytes() int64 { return s.int64("bytes", defaultBytes, 0, maxTotal) }

func (s *spec) rounds(maxOps int64) int64 { return s.int64("rounds", 1, 1, maxOps) }

func (s *spec) seed() int64 { return s.int64("seed", 1, 0, math.MaxInt64) }

// parseExtents reads count numbers with x between them, each at least 1, and
// their product at most maxRanks; all 1 after a mistake.
func (s *spec) parseExtents(what, text string, column, count int) []int {
	extents := make([]int, count)
	for i := range extents {
		extents[i] = 1
	}
	parts := strings.Split(text, "x")
	if len(parts) != count || text == "" {
		s.fail(column, fmt.Sprintf("write for example %s:%s", s.name, s.pattern.example),
			"%s %q must be %d numbers joined by x", what, text, count)
		return extents
	}
	product := int64(1)
	for i, part := range parts {
		v, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || v < 1 || v > maxRanks {
			s.fail(column, "", "%s: %q must be a whole number from 1 to %d", what, part, maxRanks)
			return extents
		}
		if product *= v; product > maxRanks {
			s.fail(column, "", "%s %s make more than %d ranks", what, text, maxRanks)
			return extents
		}
		extents[i] = int(v)
		column += len(part) + 1
	}
	return extents
}

// ranks reads the positional number of ranks.
func (s *spec) ranks() int {
	v, err := strconv.ParseInt(s.extents, 10, 64)
	if err != nil || v < 1 || v > maxRanks {
		s.fail(s.column, fmt.Sprintf("write for example %s:%s", s.name, s.pattern.example),
			"number of ranks %q must be a whole number from 1 to %d", s.extents, maxRanks)
		return 1
	}
	return int(v)
}

// computeNanoseconds is how long a rank computes before each round.
func (s *spec) computeNanoseconds() int64 { return s.int64("compute-ns", 0, 0, maxTotal) }

// load is what a pattern asks for, to be weighed before it is built.
type load struct {
	ranks    int
	rounds   int64 // of every rank
	messages int64 // of a rank in a round
	others   int64 // operations of a rank in a round beside these
	bytes    int64 // of a message, at most
	compute  int64 // nanoseconds of a rank in a round
}

// operations of a rank in a round.
func (l load) operations() int64 { return l.messages + l.others + min(l.compute, 1) }

// room tests that operations, volume and computing time stay within the limits.
func (s *spec) room(maxOps int64, l load) {
	// No operations count as one: rounds of nothing take time as well.
	if !within(maxOps, int64(l.ranks), l.rounds, max(1, l.operations())) {
		s.fail(0, "fewer ranks or rounds", "more than %d operations", maxOps)
	} else if !within(maxTotal, int64(l.ranks), l.rounds, l.messages, l.bytes) {
		s.fail(0, "smaller messages or fewer rounds", "a total volume above %d bytes", int64(maxTotal))
	}
	s.computingTime(l.rounds, l.compute)
}

// computingTime tests what a rank computes in all.
func (s *spec) computingTime(rounds, nanoseconds int64) {
	if !within(maxTotal, rounds, nanoseconds) {
		s.fail(0, "less computing or fewer rounds", "computing for more than %d ns", int64(maxTotal))
	}
}

// within tests that a product of factors, none negative, is at most a limit.
func within(limit int64, factors ...int64) bool {
	product := int64(1)
	for _, f := range factors {
		if f == 0 {
			return true
		}
	}
	for _, f := range factors {
		if f > limit/product {
			return false
		}
		product *= f
	}
	return true
}

// finish reports the first mistake, among them options that nobody asked for.
func (s *spec) finish() error {
	for _, o := range s.options {
		if !o.used {
			s.fail(o.column, "its options are "+strings.Join(s.pattern.optionNames(), ", "), "unknown option %s",
				o.key)
		}
	}
	if s.err != nil {
		return s.err
	}
	return nil
}
