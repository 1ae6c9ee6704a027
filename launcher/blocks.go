package launcher

import (
	"bufio"
	"fmt"
	"strings"

	"remap/mapping"
)

// maxBlock bounds the ranks that one line gives a host.
const maxBlock = 1 << 24

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

// readColonBlocks reads `HOST:N`, of Hydra and Intel MPI, and `HOST` for one rank. Words behind it that
// set the user, the interface or the binding of a host are passed over.
func readColonBlocks(s *source, to mapping.Reader) error {
	var blocks []block
	for s.next() {
		words := strings.Fields(s.content)
		for _, word := range words[1:] {
			if !strings.Contains(word, "=") {
				return s.lines.Errorf(s.column(word), colonHint, "unexpected %q after the host", clip(word))
			}
		}
		host, number, found := strings.Cut(words[0], ":")
		b := block{s.place(0, host), 1}
		if host == "" {
			return s.lines.Errorf(b.entry.HostColumn, colonHint, "the host is missing")
		}
		if found {
			var err error
			if b.ranks, err = s.count(number, b.entry.HostColumn+len(host)+1, colonHint); err != nil {
				return err
			}
		}
		blocks = append(blocks, b)
	}
	return addBlocks(s, to, blocks)
}

const blankHint = "a line reads: node0 2, which gives node0 the next two ranks"

// readBlankBlocks reads `HOST N`, of LSF, and `HOST` for one rank.
func readBlankBlocks(s *source, to mapping.Reader) error {
	var blocks []block
	for s.next() {
		words := strings.Fields(s.content)
		b := block{s.place(0, words[0]), 1}
		if len(words) > 2 {
			return s.lines.Errorf(s.column(words[2]), blankHint, "unexpected %q", clip(words[2]))
		}
		if len(words) == 2 {
			var err error
			if b.ranks, err = s.count(words[1], s.after(b.entry.HostColumn+len(words[0]), words[1]), blankHint); err != nil {
				return err
			}
		}
		blocks = append(blocks, b)
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
		words := strings.Fields(s.content)
		b := block{s.place(0, words[0]), 1}
		for _, word := range words[1:] {
			key, value, found := strings.Cut(word, "=")
			if !found {
				return s.lines.Errorf(s.column(word), slotsHint, "expected KEY=VALUE after the host, found %q", clip(word))
			}
			if key != "slots" {
				continue // max_slots and the like
			}
			var err error
			if b.ranks, err = s.count(value, s.column(word)+len(key)+1, slotsHint); err != nil {
				return err
			}
		}
		if first, again := at[words[0]]; again {
			blocks[first].ranks += b.ranks
			continue
		}
		at[words[0]] = len(blocks)
		blocks = append(blocks, b)
	}
	return addBlocks(s, to, blocks)
}
