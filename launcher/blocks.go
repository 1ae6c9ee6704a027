package launcher

import (
	"bufio"
	"fmt"
	"strings"

	"remap/mapping"
)

// maxBlock bounds the ranks that one line gives a host.
const maxBlock = 1 << 16

// writeBlocks writes a line for every run of consecutive ranks of a host: between is what stands
// between the host and their number.
func writeBlocks(between string) func(w *bufio.Writer, p *Placement, _ Options) error {
	return func(w *bufio.Writer, p *Placement, _ Options) error {
		for _, run := range p.runs() {
			fmt.Fprintf(w, "%s%s%d\n", p.Hosts[run.host].Name, between, run.ranks)
		}
		return nil
	}
}

// writeSlots writes the hosts in the order of their first rank, each once with the number of its ranks:
// what Open MPI makes of lines that name a host again.
func writeSlots(w *bufio.Writer, p *Placement, _ Options) error {
	count := make([]int, len(p.Hosts))
	var order []int32
	for _, h := range p.Host {
		if count[h]++; count[h] == 1 {
			order = append(order, h)
		}
	}
	for _, h := range order {
		fmt.Fprintf(w, "%s slots=%d\n", p.Hosts[h].Name, count[h])
	}
	return nil
}

// block is a host and how many consecutive ranks a line gives it.
type block struct {
	entry mapping.RankPlace
	ranks int64
}

// addBlocks places ranks in the order of blocks: as many as the job has, or as the blocks hold.
func addBlocks(s *source, to mapping.Reader, blocks []block) error {
	var rank int64
	for _, b := range blocks {
		for range b.ranks {
			if most := to.Ranks(); most > 0 && rank == int64(most) {
				return nil
			}
			e := b.entry
			e.Rank, e.Slot = rank, to.Free(e.Host)
			if err := to.Add(e); err != nil {
				return err
			}
			rank++
		}
	}
	return s.end(rank)
}

const colonHint = "a line reads: node0:2, which gives node0 the next two ranks"

// readColonBlocks reads `HOST:N`, of Hydra and Intel MPI, and `HOST` for one rank. A user before the host
// (USER@), an adapter behind the number (:ib0), and words that set the user, the interface or the binding of
// a host are passed over.
func readColonBlocks(s *source, to mapping.Reader) error {
	var blocks []block
	for s.next() {
		words := s.words()
		for _, w := range words[1:] {
			if !strings.Contains(w.text, "=") {
				return s.lines.Errorf(w.column, colonHint, "unexpected %q after the host", clip(w.text))
			}
		}
		host, number, found := strings.Cut(words[0].text, ":")
		number, _, _ = strings.Cut(number, ":") // an adapter
		column := words[0].column
		if user, name, given := strings.Cut(host, "@"); given {
			host, column = name, column+len(user)+1
		}
		if err := s.host(host, column); err != nil {
			return err
		}
		ranks := int64(1)
		if found {
			var err error
			if ranks, err = s.count(number, column+len(host)+1, colonHint); err != nil {
				return err
			}
		}
		blocks = append(blocks, block{s.place(0, host, column), ranks})
	}
	return addBlocks(s, to, blocks)
}

const blankHint = "a line reads: node0 2, which gives node0 the next two ranks"

// readBlankBlocks reads `HOST N`, of LSF, and `HOST` for one rank.
func readBlankBlocks(s *source, to mapping.Reader) error {
	var blocks []block
	for s.next() {
		words := s.words()
		if len(words) > 2 {
			return s.lines.Errorf(words[2].column, blankHint, "unexpected %q", clip(words[2].text))
		}
		ranks := int64(1)
		if len(words) == 2 {
			var err error
			if ranks, err = s.count(words[1].text, words[1].column, blankHint); err != nil {
				return err
			}
		}
		if err := s.host(words[0].text, words[0].column); err != nil {
			return err
		}
		blocks = append(blocks, block{s.place(0, words[0].text, words[0].column), ranks})
	}
	return addBlocks(s, to, blocks)
}

const slotsHint = "a line reads: node0 slots=4, which gives node0 the next four ranks"

// readSlots reads `HOST slots=N` of Open MPI's hostfile: N of all lines of a host are added up where the
// host stands first, and a line without slots= counts one.
func readSlots(s *source, to mapping.Reader) error {
	var blocks []block
	at := map[string]int{}
	for s.next() {
		words := s.words()
		ranks := int64(1)
		for _, w := range words[1:] {
			key, value, found := strings.Cut(w.text, "=")
			if !found {
				return s.lines.Errorf(w.column, slotsHint, "expected KEY=VALUE after the host, found %q", clip(w.text))
			}
			if key != "slots" {
				continue // max_slots and the like
			}
			var err error
			if ranks, err = s.count(value, w.column+len(key)+1, slotsHint); err != nil {
				return err
			}
		}
		host := words[0].text
		if err := s.host(host, words[0].column); err != nil {
			return err
		}
		if first, again := at[host]; again {
			blocks[first].ranks += ranks
			continue
		}
		at[host] = len(blocks)
		blocks = append(blocks, block{s.place(0, host, words[0].column), ranks})
	}
	return addBlocks(s, to, blocks)
}
