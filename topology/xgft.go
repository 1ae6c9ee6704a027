package topology

import (
	"fmt"
	"strings"
)

// maxTreeLevels bounds the levels of switches of an `xgft:` spec.
const maxTreeLevels = 8

// xgft reads `xgft:down=M1x...xMh,up=W1x...xWh[,parallel=P1x...xPh]`, a fat
// tree of h levels of switches. Its destination-modulo routing divides by the
// parents chosen below (D-mod-K, Zahavi 2010): what one level chooses by does
// not decide the next level's choice. A switch has one link to each parent in
// turn, then the second to each: so destinations that differ by the number of
// parents take different parallel links, up and down.
func (s *spec) xgft() (*tree, error) {
	p := &tree{name: s.text}
	p.down = s.list("down")
	p.up = s.list("up")
	if p.parallel = s.list("parallel"); p.parallel == nil {
		for range p.down {
			p.parallel = append(p.parallel, 1)
		}
	}
	p.bytesPerSecond, p.latency = s.wires()
	if s.bare != "" {
		s.complain("field %q is not KEY=VALUE", clip(s.bare))
	}
	for _, key := range []string{"down", "up"} {
		if _, ok := s.value(key); !ok {
			s.missing = append(s.missing, key)
		}
	}
	switch h := len(p.down); {
	case len(s.missing) > 0:
	case h > maxTreeLevels:
		s.complain("at most %d levels of switches, not %d", maxTreeLevels, h)
	case len(p.up) != h:
		s.complain("down has %d levels and up has %d", h, len(p.up))
	case len(p.parallel) != h:
		s.complain("down has %d levels and parallel has %d", h, len(p.parallel))
	default:
		s.fits(p)
	}
	if err := s.done(); err != nil {
		return p, err
	}
	divisor := 1
	for k, w := range p.up {
		if k > 0 {
			divisor *= w
		}
		p.divisors = append(p.divisors, divisor)
	}
	p.derive()
	p.nameByLevel()
	return p, nil
}

// nameByLevel calls the switches leaf0, level2-0, level3-0 and so on; with
// several planes each counts from 0 and has its rail before it, as rail1-leaf0.
func (p *tree) nameByLevel() {
	for k := range p.down {
		prefix := "leaf"
		if k > 0 {
			prefix = fmt.Sprintf("level%d-", k+1)
		}
		for plane := range p.up[0] {
			if p.up[0] > 1 {
				p.switchNames = append(p.switchNames, numbered(fmt.Sprintf("rail%d-%s", plane, prefix),
					int(p.inPlane[k]))...)
			} else {
				p.switchNames = append(p.switchNames, numbered(prefix, int(p.inPlane[k]))...)
			}
		}
	}
}

// list reads whole numbers from 1 joined by x; nil when the field is absent.
func (s *spec) list(key string) []int {
	value, ok := s.value(key)
	if !ok {
		return nil
	}
	var numbers []int
	for _, part := range strings.SplitN(value, "x", maxTreeLevels+2) {
		numbers = append(numbers, s.whole("every number of "+key, part, 1))
	}
	return numbers
}
