package launcher

import (
	"io"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/mapping"
)

// source is a file as the readers of line formats walk it: blank lines and comments left out.
type source struct {
	file    string
	r       io.Reader // what is read, for formats without lines
	lines   *linescan.Lines
	content string // of the line in hand, without comment and surrounding blanks; never empty
	start   int    // column of the content's first byte, from 1
	hint    string // how the file should look
	bound   bool   // it names processors in place of slots
}

func newSource(file string, r io.Reader, hint string) *source {
	return &source{file: file, r: r, hint: hint, lines: linescan.New(file, r)}
}

// next goes to the next line that holds something.
func (s *source) next() bool {
	for s.lines.Next() {
		text, _, _ := strings.Cut(s.lines.Text(), "#")
		if s.content = strings.TrimSpace(text); s.content != "" {
			s.start = 1 + strings.Index(text, s.content)
			return true
		}
	}
	return false
}

// word is a word of the line in hand.
type word struct {
	text   string
	column int // of its first byte, from 1
}

// words splits the line in hand at blanks.
func (s *source) words() []word { return s.split(" \t") }

// split splits the line in hand at any of the separators.
func (s *source) split(separators string) []word {
	var words []word
	for at := 0; at < len(s.content); {
		if strings.IndexByte(separators, s.content[at]) >= 0 {
			at++
			continue
		}
		end := at
		for end < len(s.content) && strings.IndexByte(separators, s.content[end]) < 0 {
			end++
		}
		words = append(words, word{s.content[at:end], s.start + at})
		at = end
	}
	return words
}

// place is the entry of a rank on a host whose name stands at a column of the line in hand.
func (s *source) place(rank int64, host string, column int) mapping.RankPlace {
	return mapping.RankPlace{Rank: rank, Host: host, Line: s.lines.Number, RankColumn: column,
		HostColumn: column,
		SlotColumn: column}
}

// host refuses what is not the name of one host, such as a list of them.
func (s *source) host(name string, column int) error {
	if name == "" || !only(name, letters+digits+"_-.") {
		return s.lines.Errorf(column, s.hint, "%q is not the name of one host", clip(name))
	}
	return nil
}

// count reads a number of ranks.
func (s *source) count(text string, column int, hint string) (int64, error) {
	n, err := linescan.Whole(text)
	if err != nil || n < 1 || n > maxBlock {
		return 0, s.lines.Errorf(column, hint, "%q is not a number of ranks from 1 to %d", clip(text), maxBlock)
	}
	return n, nil
}

// end is the error of a file that could not be read to its end, or holds no rank.
func (s *source) end(ranks int64) error {
	if err := s.lines.Err(); err != nil {
		return err
	}
	if ranks == 0 {
		return &input.Error{File: s.file, Reason: "the file places no rank", Hint: s.hint}
	}
	return nil
}

// clip shortens what an error quotes.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
