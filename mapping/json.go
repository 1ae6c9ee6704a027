package mapping

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// WriteJSON writes {"ranks": N, "mapping": [{"rank": 0, "host": "n0", "slot": 0}, ...]},
// one line a rank; slots count from 0 within their host. hosts and slots are those of every rank.
func WriteJSON(w io.Writer, hosts []string, slots []int32) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "{\"ranks\": %d, \"mapping\": [", len(hosts))
	for r, host := range hosts {
		name, err := json.Marshal(host)
		if err != nil {
			return err
		}
		separator := ","
		if r == 0 {
			separator = ""
		}
		fmt.Fprintf(out, "%s\n  {\"rank\": %d, \"host\": %s, \"slot\": %d}", separator, r, name, slots[r])
	}
	fmt.Fprint(out, "\n]}\n")
	return out.Flush()
}

// ReadJSON reads what WriteJSON writes; parameters and errors as ReadCSV's.
func ReadJSON(file string, r io.Reader, c Reader) error {
	text, err := io.ReadAll(&cappedReader{file: file, r: r, left: MaxFile})
	if err != nil {
		return csvError(file, err)
	}
	text = linescan.TrimMark(text)
	in := jsonReader{file: file, text: text, decoder: json.NewDecoder(bytes.NewReader(text)), line: 1}
	in.decoder.DisallowUnknownFields()
	declared := -1
	if err := in.document(c, &declared); err != nil {
		return err
	}
	if declared != in.read {
		return &input.Error{File: file, Reason: fmt.Sprintf("the mapping has %d ranks but "+
			"says %d", in.read, declared),
			Hint: "is the file cut off, or edited by hand?"}
	}
	return nil
}

// jsonReader walks a document and knows where it is.
type jsonReader struct {
	file    string
	text    []byte
	decoder *json.Decoder
	read    int // entries

	// line and lineStart belong to offset `seen`, which only grows.
	line, lineStart, seen int
}

// position gives line and column of an offset not before the last one asked for.
func (in *jsonReader) position(offset int) (line, column int) {
	for offset = min(offset, len(in.text)); in.seen < offset; in.seen++ {
		if in.text[in.seen] == '\n' {
			in.line, in.lineStart = in.line+1, in.seen+1
		}
	}
	return in.line, offset - in.lineStart + 1
}

// here is the offset of the next token.
func (in *jsonReader) here() int {
	offset := int(in.decoder.InputOffset())
	for offset < len(in.text) && bytes.IndexByte([]byte(" \t\r\n,:"), in.text[offset]) >= 0 {
		offset++
	}
	return offset
}

func (in *jsonReader) fail(offset int, err error, format string, args ...any) error {
	line, column := in.position(offset)
	return &input.Error{File: in.file, Line: line, Column: column, Err: err,
		Reason: fmt.Sprintf(format, args...),
		Hint:   `expected {"ranks": N, "mapping": [{"rank": 0, "host": "NAME", "slot": 0}, ...]}`}
}

// expect takes one delimiter.
func (in *jsonReader) expect(want json.Delim) error {
	at := in.here()
	token, err := in.decoder.Token()
	if err != nil {
		return in.syntax(at, err)
	}
	if token != want {
		return in.fail(at, nil, "%v instead of %v", token, want)
	}
	return nil
}

// syntax places a decoding error as exactly as the json package tells.
func (in *jsonReader) syntax(at int, err error) error {
	var wrong *json.SyntaxError
	if errors.As(err, &wrong) {
		at = max(at, int(wrong.Offset)-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return in.fail(len(in.text), err, "the mapping ends early")
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return in.fail(at, err, "a %s stands where a whole number below 2^31 or a name belongs", kind.Value)
	}
	return in.fail(at, err, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// document reads the outer object.
func (in *jsonReader) document(c Reader, declared *int) error {
	if err := in.expect('{'); err != nil {
		return err
	}
	for in.decoder.More() {
		at := in.here()
		key, err := in.decoder.Token()
		if err != nil {
			return in.syntax(at, err)
		}
		at = in.here()
		switch key {
		case "ranks":
			if err := in.decoder.Decode(declared); err != nil {
				return in.syntax(at, err)
			}
			if *declared < 0 {
				return in.fail(at, nil, "%d ranks", *declared)
			}
		case "mapping":
			if err := in.entries(c); err != nil {
				return err
			}
		default:
			return in.fail(at, nil, "unknown field %q", key)
		}
	}
	if err := in.expect('}'); err != nil {
		return err
	}
	if at := in.here(); at < len(in.text) {
		return in.fail(at, nil, "text after the end of the mapping")
	}
	if *declared < 0 {
		return in.fail(len(in.text), nil, "the number of ranks is missing")
	}
	return nil
}

// entries reads the list of ranks.
func (in *jsonReader) entries(c Reader) error {
	if err := in.expect('['); err != nil {
		return err
	}
	for in.decoder.More() {
		at := in.here()
		var fields struct {
			Rank *int32  `json:"rank"`
			Host *string `json:"host"`
			Slot *int32  `json:"slot"`
		}
		if err := in.decoder.Decode(&fields); err != nil {
			return in.syntax(at, err)
		}
		if fields.Rank == nil || fields.Host == nil || fields.Slot == nil {
			return in.fail(at, nil, "an entry without rank, host or slot")
		}
		line, column := in.position(at)
		e := RankPlace{Rank: int64(*fields.Rank), Host: *fields.Host, Slot: int64(*fields.Slot),
			Line: line, RankColumn: column, HostColumn: column, SlotColumn: column}
		if err := c.Add(e); err != nil {
			return err
		}
		in.read++
	}
	return in.expect(']')
}
