package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remap/internal/input"
	"remap/mapping"
)

// Parse reads one strategy: `name`, `name:option=value,option=value`, or a
// chain `a+b` in which b starts from the result of a. The strategy's Name is
// the text as given. Errors are *input.Error and carry a hint.
func Parse(spec string) (mapping.Strategy, error) {
	parts := strings.Split(spec, "+")
	links := make([]mapping.Strategy, len(parts))
	column := 1
	for i, part := range parts {
		var err error
		if links[i], err = parseOne(part, column); err != nil {
			return mapping.Strategy{}, err
		}
		column += len(part) + 1
	}
	if len(links) == 1 {
		links[0].Name = spec
		return links[0], nil
	}
	return chain(spec, links), nil
}

// ParseList reads strategies separated by commas. An item with an equals sign
// whose name is not a strategy's continues the options of the item before it.
func ParseList(list string) ([]mapping.Strategy, error) {
	var specs []string
	for _, item := range strings.Split(list, ",") {
		if len(specs) > 0 && continues(specs[len(specs)-1], item) {
			specs[len(specs)-1] += "," + item
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
	name, _, hasColon := strings.Cut(item, ":")
	if !strings.Contains(last, ":") || !strings.Contains(item, "=") {
		return false
	}
	return !hasColon || !known(name)
}

func known(name string) bool {
	return slices.ContainsFunc(table(), func(r row) bool { return r.Name == name })
}

// chain runs strategies one after the other, each from the result before.
func chain(name string, links []mapping.Strategy) mapping.Strategy {
	return mapping.Strategy{
		Name: name,
		Doc:  "a chain: every strategy starts from the result of the one before",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			step := *p
			for _, s := range links {
				m, err := s.Map(ctx, &step)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.Name, err)
				}
				step.Start = m
			}
			return step.Start, nil
		},
	}
}

// parseOne reads a link of a chain that begins at a column of the text.
func parseOne(text string, column int) (mapping.Strategy, error) {
	name, tail, hasOptions := strings.Cut(text, ":")
	rows := table()
	at := slices.IndexFunc(rows, func(r row) bool { return r.Name == name })
	if at < 0 {
		return mapping.Strategy{}, unknown("strategy", name, names(rows), column)
	}
	if !hasOptions {
		return rows[at].Strategy, nil
	}
	values, err := parseOptions(&rows[at], tail, column+len(name)+1)
	if err != nil {
		return mapping.Strategy{}, err
	}
	s, err := rows[at].with(values)
	if err != nil {
		return mapping.Strategy{}, &input.Error{Line: 1, Column: column, Err: err,
			Reason: fmt.Sprintf("strategy %q: %v", text, err)}
	}
	s.Name = text
	return s, nil
}

// parseOptions reads option=value pairs separated by commas.
func parseOptions(r *row, text string, column int) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		option, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return nil, &input.Error{Line: 1, Column: column, Reason: fmt.Sprintf("strategy %s: option %q has no value", r.Name, pair),
				Hint: "write " + r.Name + ":option=value"}
		case !slices.Contains(r.options, option):
			return nil, unknown("option of "+r.Name, option, r.options, column)
		}
		if _, twice := values[option]; twice {
			return nil, &input.Error{Line: 1, Column: column, Reason: fmt.Sprintf("strategy %s: option %q is given twice", r.Name, option),
				Hint: "keep one of them"}
		}
		values[option] = value
		column += len(pair) + 1
	}
	return values, nil
}

func names(rows []row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Name
	}
	return list
}
