package columns

import (
	"bufio"
	"encoding/json"
	"strconv"
	"strings"
)

// csvSink writes RFC 4180 with line feeds.
type csvSink struct {
	out     *bufio.Writer
	columns []Column
	line    []byte
}

func (s *csvSink) header() error {
	for i := range s.columns {
		s.comma(i)
		s.quote(s.columns[i].Name)
	}
	return s.end()
}

func (s *csvSink) comma(i int) {
	if i > 0 {
		s.line = append(s.line, ',')
	}
}

func (s *csvSink) quote(text string) {
	// A line that is one empty field would be taken for no line.
	if !strings.ContainsAny(text, "\",\r\n") && !strings.HasPrefix(text, " ") &&
		(text != "" || len(s.columns) > 1) {
		s.line = append(s.line, text...)
		return
	}
	s.line = append(s.line, '"')
	s.line = append(s.line, strings.ReplaceAll(text, `"`, `""`)...)
	s.line = append(s.line, '"')
}

func (s *csvSink) end() error {
	s.line = append(s.line, '\n')
	_, err := s.out.Write(s.line)
	s.line = s.line[:0]
	return err
}

func (s *csvSink) row(values []Value) error {
	for i := range values {
		s.comma(i)
		switch v := &values[i]; {
		case s.columns[i].Kind == Text:
			s.quote(v.text)
		case v.set:
			s.line = appendNumber(s.line, v, s.columns[i].Kind)
		}
	}
	return s.end()
}

func (s *csvSink) close() error { return s.out.Flush() }

func appendNumber(line []byte, v *Value, kind Kind) []byte {
	if kind == Integer {
		return strconv.AppendInt(line, v.integer, 10)
	}
	return strconv.AppendFloat(line, v.number, 'g', -1, 64)
}

// jsonSink writes an array of objects, one a line.
type jsonSink struct {
	out     *bufio.Writer
	columns []Column
	line    []byte
	rows    int
}

func (s *jsonSink) row(values []Value) error {
	s.line = append(s.line[:0], ",\n{"...)
	if s.rows == 0 {
		s.line = append(s.line[:0], "[\n{"...)
	}
	s.rows++
	for i := range values {
		if i > 0 {
			s.line = append(s.line, ',')
		}
		s.line = appendText(s.line, s.columns[i].Name)
		s.line = append(s.line, ':')
		switch v := &values[i]; {
		case !v.set:
			s.line = append(s.line, "null"...)
		case s.columns[i].Kind == Text:
			s.line = appendText(s.line, v.text)
		default:
			s.line = appendNumber(s.line, v, s.columns[i].Kind)
		}
	}
	s.line = append(s.line, '}')
	_, err := s.out.Write(s.line)
	return err
}

// appendText quotes; strings can always be encoded.
func appendText(line []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return append(line, quoted...)
}

func (s *jsonSink) close() error {
	end := "\n]\n"
	if s.rows == 0 {
		end = "[]\n"
	}
	if _, err := s.out.WriteString(end); err != nil {
		return err
	}
	return s.out.Flush()
}
