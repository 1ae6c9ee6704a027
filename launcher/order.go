package launcher

import (
	"bufio"
	"fmt"
	"strings"

	"remap/internal/linescan"
	"remap/mapping"
)

// inBlocks is the rank on each of the first slots, host by host; what is not filled up to the last used
// slot is left out (which onlyFilled refuses unless forced).
func inBlocks(p *Placement) []int {
	var order []int
	for _, ranks := range p.byHost() {
		order = append(order, ranks...)
	}
	return order
}

// onlyFilled refuses mappings that leave slots free before the last used one: formats that number slots
// rely on a launcher that fills one host after the other.
func onlyFilled(p *Placement) string {
	var missing string
	for h, ranks := range p.byHost() {
		if missing != "" && len(ranks) > 0 {
			return missing
		}
		if free := int(p.Hosts[h].Slots) - len(ranks); free > 0 && missing == "" {
			missing = fmt.Sprintf("%d of %d slots of host %s stay free before others are used, and the order of "+
				"ranks alone is written: hosts are filled one after the other", free, p.Hosts[h].Slots, p.Hosts[h].Name)
		}
	}
	return ""
}

// onlyEven refuses what onlyFilled refuses, and hosts with different numbers of ranks: Slurm spreads ranks
// evenly over the nodes as soon as they do not fill all of them (22.05 gives 5 ranks on 3 nodes 3, 1, 1 or
// 2, 2, 1).
func onlyEven(p *Placement) string {
	if reason := onlyFilled(p); reason != "" {
		return reason
	}
	used, ranks := p.used(), p.byHost()
	for _, h := range used {
		if first, here := len(ranks[used[0]]), len(ranks[h]); here != first {
			return fmt.Sprintf("host %s has %d ranks and host %s %d, and the launcher starts as many on each",
				p.Hosts[used[0]].Name, first, p.Hosts[h].Name, here)
		}
	}
	return ""
}

// writeRankOrder writes the ranks in the order of slots, ranksPerLine a line.
func writeRankOrder(w *bufio.Writer, p *Placement, _ Options) error {
	const ranksPerLine = 16
	order := inBlocks(p)
	for i, r := range order {
		end := ","
		switch {
		case i == len(order)-1:
			end = "\n"
		case i%ranksPerLine == ranksPerLine-1:
			end = ",\n"
		}
		fmt.Fprintf(w, "%d%s", r, end)
	}
	return nil
}

const orderHint = "ranks in the order of slots with commas between, such as 0,4,1,5"

// readRankOrder reads ranks, and ranges of them such as 4-7, with commas or blanks between.
func readRankOrder(s *source, to mapping.Reader) error {
	slot := 0
	for s.next() {
		for _, w := range s.split(" \t,") {
			word, column := w.text, w.column
			low, high, ranged := strings.Cut(word, "-")
			from, err := linescan.Whole(low)
			till := from
			if ranged && err == nil {
				till, err = linescan.Whole(high)
			}
			if err != nil || till < from {
				return s.lines.Errorf(column, orderHint, "%q is no rank and no range of ranks", clip(word))
			}
			for r := from; r <= till; r++ {
				if err := addToSlot(s, to, r, slot, column); err != nil {
					return err
				}
				slot++
			}
		}
	}
	return s.end(int64(slot))
}

// addToSlot places a rank on a slot of the job by its number.
func addToSlot(s *source, to mapping.Reader, rank int64, slot, column int) error {
	host, within, err := to.Slot(slot)
	if err != nil {
		return misplaced(s, s.lines.Number, column, err)
	}
	return to.Add(mapping.RankPlace{Rank: rank, Host: host, Slot: within, Line: s.lines.Number,
		RankColumn: column,
		HostColumn: column, SlotColumn: column})
}

const permutationHeader = "rank,new_rank"

// writePermutation writes, of every rank of the mapping, the number that a launcher gives the process on its
// slot if it fills one host after the other.
func writePermutation(w *bufio.Writer, p *Placement, _ Options) error {
	order := inBlocks(p)
	number := make([]int, len(order))
	for slot, r := range order {
		number[r] = slot
	}
	fmt.Fprintln(w, permutationHeader)
	for r, slot := range number {
		fmt.Fprintf(w, "%d,%d\n", r, slot)
	}
	return nil
}

const permutationHint = "under the header rank,new_rank a line reads: 3,17"

// readPermutation reads what writePermutation writes, lines in any order.
func readPermutation(s *source, to mapping.Reader) error {
	if !s.next() || strings.ReplaceAll(s.content, " ", "") != permutationHeader {
		if err := s.end(0); s.lines.Number == 0 || s.lines.Err() != nil {
			return err
		}
		return s.lines.Errorf(1, permutationHint, "the first line is not %s", permutationHeader)
	}
	var ranks int64
	for s.next() {
		old, now, found := strings.Cut(s.content, ",")
		rank, err := linescan.Whole(strings.TrimSpace(old))
		if !found {
			return s.lines.Errorf(s.start, permutationHint, "the new rank is missing behind %q", clip(old))
		}
		if err != nil {
			return s.lines.Errorf(s.start, permutationHint, "rank %q is not a whole number", clip(old))
		}
		slot, err := linescan.Whole(strings.TrimSpace(now))
		column := s.start + len(old) + 1
		if err != nil {
			return s.lines.Errorf(column, permutationHint, "new rank %q is not a whole number", clip(now))
		}
		if err := addToSlot(s, to, rank, int(slot), column); err != nil {
			return err
		}
		ranks++
	}
	return s.end(ranks)
}
