package strategy

import (
	"fmt"
	"slices"
	"strings"

	"remap/input"
	"remap/internal/nearest"
	"remap/mapping"
)

// Parse reads one strategy: `name`, `name:option=value,option=value`, or a
// chain `a+b` in which b starts from the result of a. The strategy's Name is
// the text as given. Errors are *input.Error with a hint.
func Parse(spec string) (mapping.Strategy, error) {
	parts := strings.Split(spec, "+")
	links := make([]mapping.Strategy, len(parts))
	for i, part := range parts {
		if part == "" && len(parts) > 1 {
			return mapping.Strategy{}, &input.Error{
				Reason: fmt.Sprintf("strategy %q: a + has nothing before or behind it", spec),
				Hint:   "a chain is written a+b, for example multisection+swap",
			}
		}
		var err error
		if links[i], err = parseOne(part); err != nil {
			return mapping.Strategy{}, err
		}
	}
	if len(links) == 1 {
		return links[0], nil
	}
	return chain(spec, links).adapted(), nil
}

// ParseList reads strategies separated by commas. An item with an equals sign
// after one with options continues these, unless it begins with the name of a
// strategy: in `tiling:levels=1,x=2,rcm+kl` the second item is an option.
func ParseList(list string) ([]mapping.Strategy, error) {
	var specs []string
	for _, item := range strings.Split(list, ",") {
		if n := len(specs); n > 0 && continues(specs[n-1], item) {
			specs[n-1] += "," + item
			continue
		}
		specs = append(specs, item)
	}
	strategies := make([]mapping.Strategy, len(specs))
	for i, spec := range specs {
		var err error
		if strategies[i], err = Parse(spec); err != nil {
			return nil, err
		}
	}
	return strategies, nil
}

// continues tells whether item can only be a further option of spec's last link.
func continues(spec, item string) bool {
	last := spec[strings.LastIndexByte(spec, '+')+1:]
	if !strings.Contains(last, ":") || !strings.Contains(item, "=") {
		return false
	}
	name := item[:strings.IndexAny(item, ":+=")]
	return !slices.ContainsFunc(table(), func(r row) bool { return r.Name == name })
}

// parseOne reads a link of a chain.
func parseOne(text string) (mapping.Strategy, error) {
	name, tail, hasOptions := strings.Cut(text, ":")
	rows := table()
	at := slices.IndexFunc(rows, func(r row) bool { return r.Name == name })
	if at < 0 {
		return mapping.Strategy{}, unknown("strategy", name, names(rows))
	}
	if !hasOptions {
		return rows[at].adapted(), nil
	}
	values, err := parseOptions(&rows[at], tail)
	if err != nil {
		return mapping.Strategy{}, err
	}
	k := rows[at].adapter
	s, err := rows[at].with(values)
	if err != nil {
		return mapping.Strategy{}, &input.Error{Err: err, Reason: fmt.Sprintf("strategy %s: %v", name, err),
			Hint: "options of " + name + ": " + strings.Join(rows[at].options, ", ")}
	}
	s.Name = text
	k.Strategy = s
	return k.adapted(), nil
}

// parseOptions reads option=value pairs separated by commas; one pair at least.
func parseOptions(r *row, text string) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		option, value, ok := strings.Cut(pair, "=")
		if !slices.Contains(r.options, option) {
			return nil, unknown("option of strategy "+r.Name, option, r.options)
		}
		if !ok || value == "" {
			return nil, &input.Error{
				Reason: fmt.Sprintf("strategy %s: option %s has no value", r.Name, option),
				Hint:   fmt.Sprintf("write %s:%s=VALUE", r.Name, option),
			}
		}
		if _, given := values[option]; given {
			return nil, &input.Error{
				Reason: fmt.Sprintf("strategy %s: option %s is given twice", r.Name, option),
				Hint:   "keep one of them",
			}
		}
		values[option] = value
	}
	return values, nil
}

// unknown is the error of a name that is not in the list: its hint offers the
// nearest one, if any is near, and the whole list.
func unknown(kind, name string, list []string) error {
	e := &input.Error{Reason: fmt.Sprintf("unknown %s %q", kind, name), Hint: "it takes no options"}
	if len(list) > 0 {
		e.Hint = "known: " + strings.Join(list, ", ")
	}
	if near := nearest.Name(name, list); near != "" {
		e.Hint = fmt.Sprintf("did you mean %s? %s", near, e.Hint)
	}
	return e
}

func names(rows []row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Name
	}
	return list
}
