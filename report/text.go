package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Command is a command line for bash that gives a program these arguments, whatever they contain.
func Command(args ...string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = word(arg)
	}
	return strings.Join(words, " ")
}

// plain are the characters of words that need no quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"

// word makes a text one word. Characters that cannot be seen are written by their number.
func word(text string) string {
	switch {
	case text != "" && strings.Trim(text, plain) == "":
		return text
	case !strings.ContainsFunc(text, unseen):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case unseen(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unseen(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("'")
	return b.String()
}

// unseen tells of characters that do not show, or that change the order of others: controls, and those
// that format.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// shown is a text with a question mark for each of them.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) && r != '\n' {
			return '?'
		}
		return r
	}, text)
}

// printable is the page with texts that can be shown.
func (p *Page) printable() Page {
	d := *p
	for _, text := range []*string{&d.Kind, &d.Title, &d.Command, &d.Version} {
		*text = shown(*text)
	}
	d.Verdict = shownAll(p.Verdict)
	d.Facts = slices.Clone(p.Facts)
	for i, f := range d.Facts {
		d.Facts[i] = Fact{shown(f.Name), shown(f.Value)}
	}
	if p.Network != nil {
		n := *p.Network
		n.Title, n.Text, n.Pictures = shown(n.Title), shownAll(n.Text), slices.Clone(n.Pictures)
		for i := range n.Pictures {
			n.Pictures[i].Title, n.Pictures[i].Text = shown(n.Pictures[i].Title), shown(n.Pictures[i].Text)
		}
		d.Network = &n
	}
	if p.Chart != nil {
		d.Chart = &Picture{Title: shown(p.Chart.Title), Text: shown(p.Chart.Text), SVG: p.Chart.SVG}
	}
	d.Tables = make([]Table, len(p.Tables))
	for i := range p.Tables {
		d.Tables[i] = p.Tables[i].printable()
	}
	return d
}

func (t *Table) printable() Table {
	d := Table{Title: shown(t.Title), Text: shown(t.Text), Columns: slices.Clone(t.Columns)}
	for i := range d.Columns {
		d.Columns[i].Name = shown(d.Columns[i].Name)
	}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for k := range row {
			row[k].Text = shown(row[k].Text)
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

func shownAll(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = shown(texts[i])
	}
	return texts
}
