package launcher

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
)

// maxNumbered is the largest file of a format without lines, in bytes.
const maxNumbered = 1 << 27

// allUsed refuses mappings that leave hosts empty: formats that number hosts count every host of the job.
func allUsed(p *Placement) string {
	used := p.used()
	if len(used) == len(p.Hosts) {
		return ""
	}
	for h, ranks := range p.byHost() {
		if len(ranks) == 0 {
			return fmt.Sprintf("%d of %d hosts, such as %s, hold no rank, and hosts are numbered with all of the "+
				"job's in a row", len(p.Hosts)-len(used), len(p.Hosts), p.Hosts[h].Name)
		}
	}
	return ""
}

// mapBlock is a block of a Flux task map: Repeat times, on each of Nodes hosts from First on, the next
// PerNode ranks (Flux RFC 34).
type mapBlock struct{ First, Nodes, PerNode, Repeat int }

// taskBlocks makes the task map of a placement: runs of neighbouring hosts with as many ranks each are
// one block, and so are blocks that repeat.
func taskBlocks(p *Placement) []mapBlock {
	number := make([]int, len(p.Hosts)) // of the used hosts
	for i, h := range p.used() {
		number[h] = i
	}
	var blocks []mapBlock
	for _, run := range p.runs() {
		host := number[run.host]
		if last := len(blocks) - 1; last >= 0 && blocks[last].PerNode == run.ranks &&
			blocks[last].First+blocks[last].Nodes == host {
			blocks[last].Nodes++
			continue
		}
		blocks = append(blocks, mapBlock{host, 1, run.ranks, 1})
	}
	short := blocks[:0]
	for _, b := range blocks {
		if last := len(short) - 1; last >= 0 && short[last].First == b.First && short[last].Nodes == b.Nodes &&
			short[last].PerNode == b.PerNode {
			short[last].Repeat++
			continue
		}
		short = append(short, b)
	}
	return short
}

// writeTaskMap writes a task map as Flux's scheme `manual` takes it, in one line.
func writeTaskMap(w *bufio.Writer, p *Placement, _ Options) error {
	for i, b := range taskBlocks(p) {
		separator := ","
		if i == 0 {
			separator = "["
		}
		fmt.Fprintf(w, "%s[%d,%d,%d,%d]", separator, b.First, b.Nodes, b.PerNode, b.Repeat)
	}
	fmt.Fprintln(w, "]")
	return nil
}

const taskMapHint = "a task map reads: [[FIRST,NODES,PERNODE,REPEAT],...]"

// readTaskMap reads a task map: the list of blocks, or the object with version and map (RFC 34).
func readTaskMap(s *source, to mapping.Reader) error {
	text, err := readNumbered(s)
	if err != nil {
		return err
	}
	blocks, err := parseTaskMap(text)
	if err != nil {
		return inTaskMap(s, text, err)
	}
	var rank int64
	for i, b := range blocks {
		if len(b) != 4 || b[0] < 0 || b[1] < 1 || b[2] < 1 || b[3] < 1 {
			return &input.Error{File: s.file, Line: 1, Hint: taskMapHint, Reason: fmt.Sprintf(
				"block %d of the map, %v, is not a number of a host and three numbers above 0", i+1, b)}
		}
		for range b[3] {
			for n := range b[1] {
				host, err := to.Host(int(min(b[0]+n, 1<<31)))
				if err != nil {
					return misplaced(s, 1, 0, fmt.Errorf("block %d of the map: %w", i+1, err))
				}
				for range b[2] {
					e := mapping.RankPlace{Rank: rank, Host: host, Slot: to.Free(host), Line: 1}
					if err := to.Add(e); err != nil {
						return err
					}
					rank++
				}
			}
		}
	}
	return s.end(rank)
}

func parseTaskMap(text []byte) ([][]int64, error) {
	var object struct {
		Version int       `json:"version"`
		Map     [][]int64 `json:"map"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		err := json.Unmarshal(text, &object.Map)
		return object.Map, err
	}
	err := json.Unmarshal(text, &object)
	if err == nil && object.Version != 1 {
		err = fmt.Errorf("version %d of a task map, not 1", object.Version)
	}
	return object.Map, err
}

// position is the line and the column of a byte of a text.
func position(text []byte, at int) (line, column int) {
	before := text[:max(0, min(at, len(text)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// inTaskMap says in our words, and where, what the json package found.
func inTaskMap(s *source, text []byte, err error) error {
	e := &input.Error{File: s.file, Line: 1, Reason: err.Error(), Hint: taskMapHint, Err: err}
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		e.Line, e.Column = position(text, int(kind.Offset)-1)
		e.Reason = fmt.Sprintf("a %s stands where a number or a list belongs", kind.Value)
	case errors.As(err, &syntax):
		e.Line, e.Column = position(text, int(syntax.Offset)-1)
	}
	return e
}

// readNumbered reads a whole file without its byte order mark.
func readNumbered(s *source) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(s.r, maxNumbered+1))
	if err != nil {
		return nil, &input.Error{File: s.file, Reason: err.Error(), Err: err, Hint: "can the file be read to " +
			"its end?"}
	}
	if len(text) > maxNumbered {
		return nil, &input.Error{File: s.file, Reason: fmt.Sprintf("larger than %d bytes", maxNumbered),
			Hint: "is this the right file?"}
	}
	return linescan.TrimMark(text), nil
}

// misplaced is the error of a host or slot that the job does not have.
func misplaced(s *source, line, column int, err error) error {
	return &input.Error{File: s.file, Line: line, Column: column, Reason: err.Error(),
		Hint: "--hosts names the job's hosts, with their slots", Err: errors.Join(mapping.ErrMisplaced, err)}
}
