package launcher

import (
	"bufio"

	"remap/mapping"
)

func writeCSV(w *bufio.Writer, p *Placement, _ Options) error {
	return mapping.WriteCSV(w, p.hostNames(), p.Slot)
}

func writeJSON(w *bufio.Writer, p *Placement, _ Options) error {
	return mapping.WriteJSON(w, p.hostNames(), p.Slot)
}

func readCSV(s *source, to mapping.Reader) error { return mapping.ReadCSV(s.file, s.r, to) }

func readJSON(s *source, to mapping.Reader) error { return mapping.ReadJSON(s.file, s.r, to) }

// hostNames are those of every rank.
func (p *Placement) hostNames() []string {
	names := make([]string, p.Ranks())
	for r := range names {
		names[r] = p.HostName(r)
	}
	return names
}
