package linescan

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A byte order mark at the start belongs to no line; elsewhere it is text.
func TestLinesWithoutMark(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		mark:                    "1:;",
		mark + "a\nb":           "1:a;2:b;",
		"a\n" + mark + "b\n":    "1:a;2:" + mark + "b;",
		mark + mark + "a":       "1:" + mark + "a;",
		"\xef\xbb" + "\n":       "1:\xef\xbb;",
		mark + "\r\n" + "c\r\n": "1:;2:c;",
	} {
		lines, got := New("f", strings.NewReader(text)), ""
		for lines.Next() {
			if string(lines.Bytes()) != lines.Text() {
				t.Errorf("%q: %q and %q", text, lines.Bytes(), lines.Text())
			}
			got += string(rune('0'+lines.Number)) + ":" + lines.Text() + ";"
		}
		if got != want || lines.Err() != nil {
			t.Errorf("%q: %q, %v, want %q", text, got, lines.Err(), want)
		}
	}
}

// SkipMark gives the same bytes as TrimMark, and the reader's error.
func TestSkipMark(t *testing.T) {
	for _, text := range []string{"", "a", "ab", "abcd", mark, mark + "a", mark + mark, "\xef\xbb",
		"\xef\xbba"} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(SkipMark(r))
			if want := TrimMark([]byte(text)); string(got) != string(want) || err != nil {
				t.Errorf("%q: %q, %v, want %q", text, got, err, want)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(SkipMark(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}
