package launcher

import (
	"fmt"
	"strings"

	"remap/input"
)

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// checkNames refuses names of hosts that a launcher's file or a shell would not take for one plain
// word. No option writes them: a line break or a quote in a name would change what the file says.
func checkNames(p *Placement) error {
	for _, h := range p.used() {
		name := p.Hosts[h].Name
		reason := ""
		switch {
		case name == "":
			reason = "it is empty"
		case !only(name, letters+digits+"_-."):
			reason = "only letters, digits, dots, hyphens and underscores are allowed"
		case name[0] == '-' || name[0] == '.':
			reason = "it begins with a hyphen or dot"
		case only(name, digits):
			reason = "it is a number"
		}
		if reason != "" {
			return &input.Error{Reason: fmt.Sprintf("launchers do not take %q for a host: %s", name, reason),
				Hint: "rename the host in the topology, or write " + Native + " or json"}
		}
	}
	return nil
}

func only(text, allowed string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(allowed, r) }) < 0
}
