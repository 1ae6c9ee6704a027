package commgraph

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"

	"remap/input"
	"remap/internal/linescan"
)

const (
	windowBytes = 256 << 10 // of the input in memory at a time
	longestWord = 4 << 10   // bytes of a number or name; longer ones are errors
)

// scanner walks an input word by word and knows where it is: a window over the
// bytes, no allocation per word or line, and no limit on the length of a line,
// because a vertex may have millions of neighbours. Words are separated by
// blanks; a line ends with a line feed.
type scanner struct {
	file   string
	hint   string // of the format, for errors
	source io.Reader
	size   int64  // bytes of the input as far as known, else 0
	gone   int64  // bytes that the window has passed
	window []byte // length windowBytes
	at     int    // offset in the window of the next byte
	end    int    // of the bytes read
	word   int    // offset of the last word's first byte
	start  int    // offset of the line's first byte, below 0 when it has left the window
	number int    // of the line, from 1
	ended  bool   // nothing follows the window
	err    error  // of the source, other than its end
}

// newScanner starts at the first byte of r, a byte order mark left out.
func newScanner(file, hint string, r io.Reader) *scanner {
	s := &scanner{file: file, hint: hint, source: r, size: inputSize(r), window: make([]byte, windowBytes),
		number: 1}
	s.fill()
	s.at = s.end - len(linescan.TrimMark(s.window[:s.end]))
	s.start = s.at
	return s
}

// sizedReader is a reader whose length is known, however it is wrapped.
type sizedReader struct {
	io.Reader
	size int64
}

// inputSize is how many bytes r will give, or 0 when that is not known. It
// says how much memory to ask for, nothing more.
func inputSize(r io.Reader) int64 {
	switch r := r.(type) {
	case sizedReader:
		return r.size
	case *os.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	case interface{ Len() int }: // bytes.Reader, bytes.Buffer, strings.Reader
		return int64(r.Len())
	}
	return 0
}

// fill makes sure that a whole word stands in the window, unless the input ends.
func (s *scanner) fill() {
	if s.ended || s.end-s.at > longestWord {
		return
	}
	copy(s.window, s.window[s.at:s.end])
	s.gone += int64(s.at)
	s.word -= s.at
	s.start -= s.at
	s.end -= s.at
	s.at = 0
	for idle := 0; s.end <= longestWord && !s.ended; {
		n, err := s.source.Read(s.window[s.end:])
		s.end += n
		if idle++; n > 0 {
			idle = 0
		}
		if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			s.ended = true
			if err != io.EOF {
				s.err = err
			}
		}
	}
}

// blank tells whether a byte separates words within a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// peek skips blanks and gives the byte after them: '\n' at the end of the
// line, ok = false at the end of the input. It is where the next word begins,
// all of which is in the window.
func (s *scanner) peek() (c byte, ok bool) {
	for {
		for s.at < s.end && blank(s.window[s.at]) {
			s.at++
		}
		if s.ended || s.end-s.at > longestWord {
			break
		}
		s.fill()
	}
	s.word = s.at
	if s.at == s.end {
		return 0, false
	}
	return s.window[s.at], true
}

// more tells whether another word stands on the line.
func (s *scanner) more() bool {
	c, ok := s.peek()
	return ok && c != '\n'
}

// integer reads the next word of the line if it is digits alone. Values above
// MaxTotal come out as some value above it. If not ok, the scanner stands
// before that word, or at the end of the line.
func (s *scanner) integer() (value int64, ok bool) {
	if s.end-s.at <= longestWord {
		s.fill()
	}
	text, at := s.window[:s.end], s.at
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	first := at
	for ; at < len(text); at++ {
		digit := text[at] - '0'
		if digit > 9 {
			break
		}
		value = value*10 + int64(digit)
	}
	if at == first || at == len(text) || at-first > 18 || text[at] > ' ' {
		return s.rareInteger()
	}
	s.word, s.at = first, at
	return value, true
}

// rareInteger is integer for what is rare: other blanks, many of them, many
// digits, the end of the input.
func (s *scanner) rareInteger() (value int64, ok bool) {
	if !s.more() {
		return 0, false
	}
	text := s.peekWord()
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		if value = value*10 + int64(c-'0'); value > MaxTotal {
			value = MaxTotal + 1
		}
	}
	s.at += len(text)
	return value, len(text) <= longestWord
}

// peekWord is the word that begins at the next byte, at most longestWord+1
// bytes of it, valid until the scanner moves on. Use it after peek.
func (s *scanner) peekWord() []byte {
	text := s.window[s.at:min(s.end, s.at+longestWord+1)]
	for i, c := range text {
		if c == '\n' || blank(c) {
			return text[:i]
		}
	}
	return text
}

// nextWord reads the word that begins at the next byte; see peekWord.
func (s *scanner) nextWord() []byte {
	text := s.peekWord()
	s.at += len(text)
	return text
}

// nextLine skips what is left of the line and its line feed; false if the
// input ends before one.
func (s *scanner) nextLine() bool {
	for {
		s.fill()
		if i := bytes.IndexByte(s.window[s.at:s.end], '\n'); i >= 0 {
			s.at += i + 1
			s.start = s.at
			s.number++
			return true
		}
		s.at = s.end
		if s.ended {
			return false
		}
	}
}

// atEnd tells whether no byte follows.
func (s *scanner) atEnd() bool {
	s.fill()
	return s.at == s.end
}

// nextText goes to the next word, over line ends, blank lines and lines whose
// first word starts with comment (0 = there are none); false at the end of the
// input. Start it at the start or the end of a line.
func (s *scanner) nextText(comment byte) bool {
	for {
		c, ok := s.peek()
		if !ok {
			return false
		}
		if c != '\n' && (comment == 0 || c != comment) {
			return true
		}
		s.nextLine()
	}
}

// lines is the number of lines before the next byte, the one it is in included.
func (s *scanner) lines() int {
	if s.at == s.start {
		return s.number - 1
	}
	return s.number
}

// read is the number of bytes before the next one.
func (s *scanner) read() int64 { return s.gone + int64(s.at) }

// failed is the error of the source, nil if it has none.
func (s *scanner) failed() error {
	if s.err == nil {
		return nil
	}
	return &input.Error{File: s.file, Line: s.number, Reason: s.err.Error(),
		Hint: "can the file be read to its end?", Err: s.err}
}

// wordError is an error at the last word; an empty hint is the format's. An
// error of the source, which cuts words off, comes first.
func (s *scanner) wordError(hint, format string, args ...any) error {
	return s.errorAt(s.word-s.start+1, hint, format, args...)
}

// lineError is an error of the whole line.
func (s *scanner) lineError(hint, format string, args ...any) error {
	return s.errorAt(0, hint, format, args...)
}

// cutOff is the error of an input that ends before what it must have, on its
// last line.
func (s *scanner) cutOff(format string, args ...any) error {
	if err := s.failed(); err != nil {
		return err
	}
	return &input.Error{File: s.file, Line: s.lines(), Hint: "is the file cut off?",
		Reason: "the file ends before " + fmt.Sprintf(format, args...)}
}

func (s *scanner) errorAt(column int, hint, format string, args ...any) error {
	if err := s.failed(); err != nil {
		return err
	}
	if hint == "" {
		hint = s.hint
	}
	return &input.Error{File: s.file, Line: s.number, Column: column, Hint: hint,
		Reason: fmt.Sprintf(format, args...)}
}

// whole reads the next word of the line, a whole number from low to high; what
// names it in errors.
func (s *scanner) whole(what string, low, high int64) (int64, error) {
	value, ok := s.integer()
	if ok && value >= low && value <= high {
		return value, nil
	}
	if !ok && !s.more() {
		return 0, s.lineError("", "the line ends before the %s", what)
	}
	return 0, s.notWhole(ok, what, low, high)
}

// notWhole is the error of a word that is not the whole number it must be: the
// last one if integer has read it, else the next one.
func (s *scanner) notWhole(read bool, what string, low, high int64) error {
	if read {
		s.at = s.word
	}
	return s.wordError("", "%s is %q, must be a whole number from %d to %d", what,
		shorten(string(s.peekWord())), low, high)
}

// amount reads the next word of the line as a volume (parseAmount); an empty
// hint is the format's.
func (s *scanner) amount(what, hint string) (int64, error) {
	value, ok := s.integer()
	if ok && value <= MaxTotal {
		return value, nil
	}
	if ok {
		s.at = s.word
	} else if !s.more() {
		return 0, s.lineError("", "the line ends before the %s", what)
	}
	value, err := parseAmount(s.peekWord())
	if err != nil {
		return 0, s.wordError(hint, "%s: %s", what, err)
	}
	s.nextWord()
	return value, nil
}

// endLine skips the rest of the line, which must hold no words.
func (s *scanner) endLine(after string) error {
	if s.more() {
		return s.wordError("", "%q after the %s", shorten(string(s.peekWord())), after)
	}
	s.nextLine()
	return nil
}

// room gives s space for more elements, most in all, of which it has fewer.
// How many is guessed from how many the part of the input read so far held, so
// that what a header says costs nothing until the lines are there.
func room[T any](s []T, most int64, in *scanner) []T {
	length := int64(len(s))
	size := 2 * length
	if read := in.read(); length > 0 && in.size > read {
		size = int64(math.Ceil(float64(length) / float64(read) * float64(in.size) * 1.02))
	}
	size = min(max(size, length+length/4)+1024, most)
	return append(make([]T, 0, size), s...)
}
