package topology

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"remap/input"
)

// forms are the kinds of networks and how each is written.
var forms = [...]struct{ kind, form string }{
	{"tapered", "tapered"},
	{"full", "full"},
	{"fattree", "fattree:nodes-per-leaf=H,leaves-per-pod=L,pods=P,aggs-per-pod=A,cores=C[,up=U][,leaf-links=1]"},
	{"xgft", "xgft:down=4x4x3,up=1x4x2[,parallel=1x1x1]"},
	{"torus", "torus:24x24x24[,hosts=1][,double=false]"},
	{"mesh", "mesh:4x4x4[,hosts=1]"},
	{"dragonfly", "dragonfly:groups=9,routers=4,hosts=2,global=2[,global-latency-ns=100]"},
	{"hyperx", "hyperx:8x8[,hosts=1]"},
}

// specHint says how a network of a kind is written, or one of any kind.
func specHint(kind string) string {
	var all []string
	for _, f := range forms {
		if f.kind == kind {
			return "write " + f.form + "; gbps=100 and latency-ns=100 may follow"
		}
		all = append(all, f.form)
	}
	return "supported: " + strings.Join(all, ", ") + "; each takes gbps=100 and latency-ns=100"
}

// Parse makes the network of a spec: `tapered`, `full`, `fattree:...`,
// `xgft:...`, `torus:...`, `mesh:...`,
// `dragonfly:...` or `hyperx:...`. Errors are *input.Error naming the field and its bound.
func Parse(spec string) (*Topology, error) {
	s, err := readSpec(spec)
	if err != nil {
		return nil, err
	}
	build, err := s.plan()
	if err != nil {
		return nil, err
	}
	t, err := build()
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	return t, nil
}

// plan reads all fields and checks every bound without building anything.
func (s *spec) plan() (func() (*Topology, error), error) {
	switch s.kind {
	case "tapered", "full", "fattree":
		p, err := s.fatTree()
		return p.build, err
	case "xgft":
		p, err := s.xgft()
		return p.build, err
	case "torus", "mesh":
		p, err := s.grid()
		return p.build, err
	case "dragonfly":
		p, err := s.dragonfly()
		return p.build, err
	case "hyperx":
		p, err := s.hyperX()
		return p.build, err
	case "":
		return nil, s.fail("names no kind of network")
	}
	return nil, s.fail(fmt.Sprintf("unknown kind of network %q", s.kind))
}

// spec is KIND[:FIELD[,FIELD...]]; a field is KEY=VALUE, the first may be a bare value.
type spec struct {
	text, kind string
	bare       string // first field when it has no key
	keys       []string
	values     []string
	used       []bool
	problem    string // the first bound that does not hold
	missing    []string
}

func readSpec(text string) (*spec, error) {
	kind, rest, hasFields := strings.Cut(text, ":")
	s := &spec{text: text, kind: kind}
	if !hasFields || rest == "" {
		return s, nil
	}
	for i, field := range strings.Split(rest, ",") {
		key, value, ok := strings.Cut(field, "=")
		switch {
		case !ok && i == 0 && field != "":
			s.bare = field
			continue
		case !ok || key == "" || value == "":
			return nil, s.fail(fmt.Sprintf("field %q is not KEY=VALUE", field))
		}
		for _, k := range s.keys {
			if k == key {
				return nil, s.fail(key + " is given twice")
			}
		}
		s.keys, s.values, s.used = append(s.keys, key), append(s.values, value), append(s.used, false)
	}
	return s, nil
}

func (s *spec) fail(reason string) error {
	return &input.Error{Reason: fmt.Sprintf("topology %q: %s", clip(s.text), reason), Hint: specHint(s.kind)}
}

func (s *spec) errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &input.Error{Reason: fmt.Sprintf("topology %q: %s", clip(s.text), err), Hint: specHint(s.kind),
		Err: err}
}

// clip keeps an error line readable whatever was given as a spec.
func clip(text string) string {
	if len(text) > 120 {
		return text[:120] + "..."
	}
	return text
}

// complain keeps the first problem.
func (s *spec) complain(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// value finds a field and marks it as read.
func (s *spec) value(key string) (string, bool) {
	for i, k := range s.keys {
		if k == key {
			s.used[i] = true
			return s.values[i], true
		}
	}
	return "", false
}

// int reads a whole number; absent = what stands for a field not given,
// negative for one that must be.
func (s *spec) int(key string, absent, least int) int {
	value, ok := s.value(key)
	if !ok {
		if absent < 0 {
			s.missing = append(s.missing, key)
			return least
		}
		return absent
	}
	return s.whole(key, value, least)
}

func (s *spec) whole(key, value string, least int) int {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		s.complain("%s must be a whole number, not %q", key, clip(value))
	case n < least:
		s.complain("%s must be at least %d", key, least)
	case n > MaxLinks:
		s.complain("%s must be at most %d", key, MaxLinks)
	default:
		return n
	}
	return least
}

// bool reads true or false, false when not given.
func (s *spec) bool(key string) bool {
	value, ok := s.value(key)
	if ok && value != "true" && value != "false" {
		s.complain("%s must be true or false, not %q", key, clip(value))
	}
	return value == "true"
}

// wires reads the rate and latency that all links of a generated network share.
func (s *spec) wires() (bytesPerSecond float64, latency time.Duration) {
	gbps := 100.0
	if value, ok := s.value("gbps"); ok {
		var err error
		if gbps, err = strconv.ParseFloat(value, 64); err != nil || !(gbps >= 1e-6 && gbps <= 1e6) {
			s.complain("gbps must be a number from 1e-6 to 1e6, not %q", clip(value))
		}
	}
	return gbps * 1e9 / 8, s.latency("latency-ns", 100*time.Nanosecond)
}

// latency reads a time in nanoseconds; absent = what stands for it if not given.
func (s *spec) latency(key string, absent time.Duration) time.Duration {
	value, ok := s.value(key)
	if !ok {
		return absent
	}
	ns, err := strconv.ParseFloat(value, 64)
	if err != nil || !(ns >= 0 && ns <= 1e9) {
		s.complain("%s must be a number from 0 to 1e9, not %q", key, clip(value))
	}
	return time.Duration(math.Round(ns))
}

// done reports the first problem, a field that nothing read, or one missing.
func (s *spec) done() error {
	if s.problem != "" {
		return s.fail(s.problem)
	}
	for i, used := range s.used {
		if !used {
			return s.fail(fmt.Sprintf("%s has no field %q", s.kind, clip(s.keys[i])))
		}
	}
	if len(s.missing) > 0 {
		return s.fail(strings.Join(s.missing, ", ") + " must be given")
	}
	return nil
}
