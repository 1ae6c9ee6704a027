package topology

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/nearest"
)

// faults gathers what fails and what is slow, by the names a user gives.
type faults struct {
	t        *Topology
	switches map[string]int32 // node of every switch
	failed   []bool           // length links
	share    []float64        // length links: share of the rate that is left; 0 = not slowed
	what     string           // the option's text in hand, for messages
}

func newFaults(t *Topology) *faults {
	f := &faults{t: t, switches: make(map[string]int32, t.Switches())}
	f.failed, f.share = make([]bool, len(t.Links)), make([]float64, len(t.Links))
	for s, name := range t.SwitchNames {
		f.switches[name] = t.NodeOf(int32(s))
	}
	return f
}

func (f *faults) wrong(hint, format string, args ...any) error {
	return &input.Error{Reason: fmt.Sprintf("%s: %s", f.what, fmt.Sprintf(format, args...)), Hint: hint}
}

// linkHint says how a LINK is written, with one of this network as example.
func (f *faults) linkHint() string {
	example := "LEAF:SPINE"
	for i := range f.t.Links {
		if l := &f.t.Links[i]; !f.t.IsHost(l.From) && !f.t.IsHost(l.To) {
			example = f.t.NodeName(l.From) + ":" + f.t.NodeName(l.To)
			break
		}
	}
	return "write a link's number in a links file, or two neighbours such as " + example + ", or " + example +
		"/0 for the first of their cables"
}

// fail marks the cables of one LINK as failed.
func (f *faults) fail(text string) error {
	f.what = fmt.Sprintf("failed link %q", clip(text))
	links, err := f.find(text)
	for _, l := range links {
		f.failed[l], f.failed[f.t.reverse[l]] = true, true
	}
	return err
}

// slow notes LINK=FRACTION.
func (f *faults) slow(text string) error {
	f.what = fmt.Sprintf("slowed link %q", clip(text))
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return f.wrong("write LINK=FRACTION, such as leaf0:pod0-agg1=0.5", "no fraction")
	}
	share, err := strconv.ParseFloat(text[at+1:], 64)
	if err != nil || !(share > 0 && share < 1) {
		return f.wrong("a failed link is --fail LINK",
			"the share of the rate that is left must be a number above 0 and below 1, not %q", clip(text[at+1:]))
	}
	link := text[:at]
	if _, ok := f.switches[link]; ok {
		return f.wrong(f.linkHint(), "a switch fails as a whole, but it is links that are slow")
	}
	links, err := f.find(link)
	for _, l := range links {
		if f.share[l] > 0 {
			return f.wrong("give each link once", "the cable of %s and %s is slowed twice",
				f.t.NodeName(f.t.Links[l].From), f.t.NodeName(f.t.Links[l].To))
		}
		f.share[l], f.share[f.t.reverse[l]] = share, share
	}
	return err
}

// find gives the links, one of each cable, that a text means.
func (f *faults) find(text string) ([]int32, error) {
	if text == "" {
		return nil, f.wrong(f.linkHint(), "it is empty")
	}
	if strings.Trim(text, "0123456789") == "" {
		return f.numbered(text)
	}
	var found [][]int32
	var problem error
	if node, ok := f.switches[text]; ok {
		first, end := f.t.Out(node)
		found = append(found, ascending(int(end))[first:])
	}
	for at := range len(text) {
		if text[at] != ':' {
			continue
		}
		for _, a := range f.named(text[:at]) {
			links, err := f.joining(a, text[at+1:])
			found = append(found, links...)
			if problem == nil {
				problem = err
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, f.wrong("give the link's number in a links file",
			"it can be read in %d ways, as names hold a colon or a slash", len(found))
	case problem != nil:
		return nil, problem
	}
	return nil, f.unknown(text)
}

// numbered finds a link by its number in the network before any link failed.
func (f *faults) numbered(text string) ([]int32, error) {
	number, err := strconv.ParseInt(text, 10, 32)
	if origin := f.t.Origin; origin != nil && err == nil {
		at, ok := slices.BinarySearch(origin, int32(number))
		if !ok {
			return nil, f.wrong(f.linkHint(), "no link has this number, or it has failed before")
		}
		return []int32{int32(at)}, nil
	}
	if err != nil || number >= int64(len(f.t.Links)) {
		return nil, f.wrong(f.linkHint(), "links are numbered from 0 to %d", len(f.t.Links)-1)
	}
	return []int32{int32(number)}, nil
}

// named gives the nodes of a name; a host and a switch may share one.
func (f *faults) named(name string) (nodes []int32) {
	if host, ok := f.t.hostIndex[name]; ok {
		nodes = append(nodes, host)
	}
	if node, ok := f.switches[name]; ok {
		nodes = append(nodes, node)
	}
	return nodes
}

// joining gives every reading of NAME or NAME/K as links from a node to a
// neighbour of that name; the error is for when there is none, though nodes
// have the name.
func (f *faults) joining(a int32, text string) (found [][]int32, problem error) {
	for _, b := range f.named(text) {
		if links := f.between(a, b); len(links) > 0 {
			found = append(found, links)
		} else {
			problem = f.wrong(f.neighbors(a), "%s and %s are not neighbours", f.t.NodeName(a), text)
		}
	}
	name, digits, ok := cutNumber(text)
	if !ok {
		return found, problem
	}
	k, err := strconv.Atoi(digits)
	if err != nil {
		k = math.MaxInt // too many digits for any number of cables
	}
	for _, b := range f.named(name) {
		switch links := f.between(a, b); {
		case len(links) == 0:
			problem = f.wrong(f.neighbors(a), "%s and %s are not neighbours", f.t.NodeName(a), name)
		case k >= len(links) && len(links) == 1:
			problem = f.wrong("cables of two neighbours are counted from 0", "%s and %s have one cable",
				f.t.NodeName(a), name)
		case k >= len(links):
			problem = f.wrong("cables of two neighbours are counted from 0", "%s and %s have %d cables",
				f.t.NodeName(a), name, len(links))
		default:
			found = append(found, links[k:k+1])
		}
	}
	return found, problem
}

// cutNumber takes NAME/K apart.
func cutNumber(text string) (name, digits string, ok bool) {
	slash := strings.LastIndexByte(text, '/')
	if slash < 0 || slash+1 == len(text) || strings.Trim(text[slash+1:], "0123456789") != "" {
		return "", "", false
	}
	return text[:slash], text[slash+1:], true
}

// between lists the links from one node to another in order of their ports.
func (f *faults) between(a, b int32) (links []int32) {
	first, end := f.t.Out(a)
	for l := first; l < end; l++ {
		if f.t.Links[l].To == b {
			links = append(links, l)
		}
	}
	return links
}

// neighbors is a hint that names a few.
func (f *faults) neighbors(node int32) string {
	first, end := f.t.Out(node)
	var names []string
	for l := first; l < end; l++ {
		if name := f.t.NodeName(f.t.Links[l].To); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == 8 {
			names = append(names, "...")
			break
		}
	}
	if names == nil {
		return f.linkHint()
	}
	return "neighbours of " + f.t.NodeName(node) + ": " + strings.Join(names, " ")
}

// unknown says which name nobody has, and the nearest that somebody has.
func (f *faults) unknown(text string) error {
	if _, ok := f.t.hostIndex[text]; ok {
		return f.wrong("write HOST:SWITCH for a host's link, or leave the host out of --hosts",
			"%s is a host: only switches fail as a whole", text)
	}
	if strings.Contains(text, ",") {
		return f.wrong("one LINK an option, which may be repeated; "+f.linkHint(),
			"no host or switch has this name")
	}
	left, _, pair := strings.Cut(text, ":")
	if !pair {
		return f.wrong(f.hintNearest(text, f.t.SwitchNames), "no switch has this name")
	}
	name := left
	for at := range len(text) {
		switch {
		case text[at] != ':':
		case f.named(text[:at]) != nil:
			name = text[at+1:]
			if node, _, ok := cutNumber(name); ok {
				name = node
			}
		case f.named(text[at+1:]) != nil:
			name = text[:at]
		}
	}
	return f.wrong(f.hintNearest(name, slices.Concat(f.t.SwitchNames, f.t.HostNames)),
		"no host or switch is named %q", clip(name))
}

func (f *faults) hintNearest(name string, names []string) string {
	if near := nearest.Name(name, names); near != "" {
		return "did you mean " + near + "? " + f.linkHint()
	}
	return f.linkHint()
}
