package launcher

import (
	"bufio"
	"fmt"

	"remap/mapping"
)

// writeHostLines writes one host a line: line i is the host of rank i.
func writeHostLines(w *bufio.Writer, p *Placement, _ Options) error {
	for r := range p.Ranks() {
		fmt.Fprintln(w, p.HostName(r))
	}
	return nil
}

const hostLinesHint = "one host a line: line i is the host of rank i"

// readHostLines reads one host a line, with blank lines and comments between them. Ranks take the
// slots of their host in order.
func readHostLines(s *source, to mapping.Reader) error {
	var rank int64
	for s.next() {
		words := s.words()
		if len(words) != 1 {
			return s.lines.Errorf(words[1].column, hostLinesHint, "unexpected %q after the host", clip(words[1].text))
		}
		if err := s.host(words[0].text, words[0].column); err != nil {
			return err
		}
		e := s.place(rank, words[0].text, words[0].column)
		e.Slot = to.Free(e.Host)
		if err := to.Add(e); err != nil {
			return err
		}
		rank++
	}
	return s.end(rank)
}

// onlyBlocks refuses mappings in which the ranks of a host are not consecutive; what happens then is
// the launcher's.
func onlyBlocks(then string) func(p *Placement) string {
	return func(p *Placement) string {
		seen := make([]bool, len(p.Hosts))
		for _, run := range p.runs() {
			if seen[run.host] {
				return fmt.Sprintf("the ranks of host %s are not consecutive, and %s", p.Hosts[run.host].Name, then)
			}
			seen[run.host] = true
		}
		return ""
	}
}
