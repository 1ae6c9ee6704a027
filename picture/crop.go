package picture

import (
	"fmt"
	"strings"

	"remap/internal/nearest"
	"remap/topology"
)

// Crop is the region that a text names, as hosts (length hosts): a switch with hosts or a host, or two of
// a kind with a hyphen between, such as leaf0-leaf23, and all that stand between them in the picture; or a
// host list such as n[0-31].
func Crop(t *topology.Topology, text string) ([]bool, error) {
	s := findStages(t, nil, false)
	switches, hosts := map[string]int{}, map[string]int{}
	var order []int32 // hosts from left to right
	for i, sw := range s.rows[0] {
		switches[t.SwitchNames[sw]] = i
		for _, h := range s.hosts[sw] {
			hosts[t.HostNames[h]] = len(order)
			order = append(order, h)
		}
	}
	chosen := make([]bool, t.Hosts())
	for _, ends := range endsOf(text) {
		if from, to, ok := between(switches, ends); ok {
			for _, sw := range s.rows[0][from : to+1] {
				for _, h := range s.hosts[sw] {
					chosen[h] = true
				}
			}
			return chosen, nil
		}
		if from, to, ok := between(hosts, ends); ok {
			for _, h := range order[from : to+1] {
				chosen[h] = true
			}
			return chosen, nil
		}
	}
	return chosen, chooseList(t, text, chosen, s)
}

// endsOf are the ways to read a text as one name or two.
func endsOf(text string) [][2]string {
	ways := [][2]string{{text, text}}
	for i, r := range text {
		if r == '-' {
			ways = append(ways, [2]string{text[:i], text[i+1:]})
		}
	}
	return ways
}

// between are the places of two names, in order.
func between(places map[string]int, ends [2]string) (from, to int, ok bool) {
	from, first := places[ends[0]]
	to, last := places[ends[1]]
	return min(from, to), max(from, to), first && last
}

// chooseList chooses the hosts of a list.
func chooseList(t *topology.Topology, text string, chosen []bool, s *stages) error {
	list, err := topology.ParseHostList(text)
	if err == nil {
		for _, entry := range list {
			h, known := t.HostIndex(entry.Name)
			if !known {
				err = fmt.Errorf("no host %q", entry.Name)
				break
			}
			chosen[h] = true
		}
	}
	if err == nil {
		return nil
	}
	var names []string
	for _, sw := range s.rows[0] {
		names = append(names, t.SwitchNames[sw])
	}
	if near := nearest.Name(strings.SplitN(text, "-", 2)[0], names); near != "" {
		return fmt.Errorf("%q is no region: did you mean %s?", text, near)
	}
	return fmt.Errorf("%q is no region: it is a host list, or switches with hosts such as %s-%s", text, names[0],
		names[len(names)-1])
}
