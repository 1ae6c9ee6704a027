package job

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"remap/commgraph"
	"remap/input"
	"remap/internal/linescan"
	"remap/internal/nearest"
)

// maxScenario is the largest scenario file that is read, in bytes.
const maxScenario = 1 << 20

// Setting is an option that a scenario sets.
type Setting struct {
	// Name is that of the option on the command line, without dashes.
	Name string
	// Values are several for an option that may be repeated.
	Values []string
	// Origin is FILE:LINE; empty where no file sets the option.
	Origin string
}

// ReadScenario reads a file of options: NAME = VALUE, or NAME = [VALUES] for
// those that may be repeated. Only the options of names are allowed. Names of files are relative
// to the file's folder.
func ReadScenario(path string, names []string) ([]Setting, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScenario+1)) // a device has no size to ask for
	if err != nil {
		return nil, err
	}
	if len(text) > maxScenario {
		return nil, &input.Error{File: path, Reason: fmt.Sprintf("larger than %d bytes", maxScenario),
			Hint: "is this the right file?"}
	}
	values := map[string]any{}
	if err := toml.Unmarshal(linescan.TrimMark(text), &values); err != nil {
		return nil, inTOML(path, err)
	}
	var options []Setting
	for _, name := range inOrder(values, text) {
		line := keyLine(text, name)
		o, err := readOption(names, name, values[name])
		if err != nil {
			err.File, err.Line = path, line
			return nil, err
		}
		o.Origin = path + ":" + strconv.Itoa(line)
		o.beside(path)
		options = append(options, o)
	}
	return options, nil
}

// inOrder are the keys as they stand in the file, so that the first mistake is
// the one that is told.
func inOrder(values map[string]any, text []byte) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(keyLine(text, a), keyLine(text, b)), strings.Compare(a, b))
	})
}

// inTOML is an error of the TOML reader as ours.
func inTOML(path string, err error) error {
	var wrong toml.ParseError
	if !errors.As(err, &wrong) {
		return &input.Error{File: path, Reason: strings.TrimPrefix(err.Error(), "toml: "), Hint: tomlHint}
	}
	return &input.Error{File: path, Line: wrong.Position.Line, Column: wrong.Position.Col,
		Reason: wrong.Message, Hint: tomlHint, Err: err}
}

const tomlHint = `write lines such as topology = "tapered" and background = ["uniform:100", "ring:8"]`

// keyLine is the line on which a top-level key stands; 0 if it is not found.
func keyLine(text []byte, name string) int {
	quoted := `["']?` + regexp.QuoteMeta(name) + `["']?\s*`
	key := regexp.MustCompile(`^\s*` + quoted + `(=|\.)|^\s*\[+\s*` + quoted + `[\].]`)
	for i, line := range bytes.Split(text, []byte("\n")) {
		if key.Match(line) {
			return i + 1
		}
	}
	return 0
}

// readOption turns a value of the file into what the command line would say.
func readOption(names []string, name string, value any) (Setting, *input.Error) {
	if !slices.Contains(names, name) {
		hint := "options: " + strings.Join(names, ", ")
		if near := nearest.Name(name, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return Setting{}, &input.Error{Reason: fmt.Sprintf("unknown option %q of a scenario", name), Hint: hint}
	}
	o := Setting{Name: name}
	list, several := value.([]any)
	if !several {
		list = []any{value}
	}
	if several && !slices.Contains([]string{"background", "fail", "slow", "measured"}, name) {
		return o, &input.Error{Reason: fmt.Sprintf("%s has one value, not a list", name), Hint: tomlHint}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			o.Values = append(o.Values, v)
		case int64, bool:
			o.Values = append(o.Values, fmt.Sprint(v))
		case float64:
			o.Values = append(o.Values, strconv.FormatFloat(v, 'g', -1, 64))
		default:
			return o, &input.Error{Reason: fmt.Sprintf("%s is neither text nor a number", name), Hint: tomlHint}
		}
	}
	return o, nil
}

// beside finds files that stand beside the scenario's own.
func (o *Setting) beside(path string) {
	if !slices.Contains([]string{"topology", "hosts", "graph", "messages", "measured"}, o.Name) {
		return
	}
	for i, value := range o.Values {
		if there := filepath.Join(filepath.Dir(path), value); !filepath.IsAbs(value) {
			if _, err := os.Stat(there); err == nil {
				o.Values[i] = there
			}
		}
	}
}
