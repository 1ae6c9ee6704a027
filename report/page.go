// Package report writes what a run has found as one HTML page that needs nothing else: the verdict
// first, then pictures, tables, a chart and the command that repeats the run. The page's security policy
// forbids all network access; its style and script stand in the page and are allowed by their hashes.
//
//	page := report.Page{Kind: "compare", Title: "stencil2d:64x72 on tapered",
//		Verdict: []string{"tiling is the fastest of 7 strategies."}, Command: "remap compare ..."}
//	err := page.Write(file)
//
// All texts of a Page are text, whatever they contain: names of hosts, files and strategies cannot become
// markup or script. Drawings are markup, and their author answers for them. Equal pages give equal bytes.
package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the files of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
)

// Page is what a run has found. Parts that are empty are left out.
type Page struct {
	// Kind is the command of remap, such as "optimize".
	Kind string
	// Title says what was looked at, in a line.
	Title string
	// Verdict is the result in sentences, the most important first.
	Verdict []string
	// Facts say what ran.
	Facts []Fact
	// Network has the pictures of the network; nil = none.
	Network *Network
	// Tables of results, in order.
	Tables []Table
	// Chart shows how a search went; nil = there was none.
	Chart *Picture
	// Command repeats the run in a shell (Command makes it of arguments).
	Command string
	// Seed is that of all chance.
	Seed uint64
	// Version is that of the program.
	Version string
	// Value is what --json prints; it stands in the page as JSON.
	Value any
}

// Fact is a name and what stands for it.
type Fact struct{ Name, Value string }

// Network are pictures of one network on one scale, which the reader zooms together.
type Network struct {
	Title string
	// Text are paragraphs above the pictures.
	Text     []string
	Pictures []Picture
	// Legend is an <svg> element that explains them; empty = none.
	Legend []byte
}

// Picture is a drawing of the network, or a chart.
type Picture struct {
	// Title and Text name it.
	Title, Text string
	// SVG is an <svg> element with a viewBox, as package picture writes it. Shapes with a <title> show it
	// when the reader points at them; shapes of one data-id show one thing, in all pictures of a network.
	// Circles and squares of a chart with a data-id are its marks.
	SVG []byte
}

// Drawing is the SVG as it is.
func (p Picture) Drawing() template.HTML { return template.HTML(p.SVG) }

// Key is the legend as it is.
func (n *Network) Key() template.HTML { return template.HTML(n.Legend) }

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

//go:embed page.js
var scriptText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// policy allows the page its own style and script, and nothing else.
var policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; "+
	"form-action 'none'", hashOf(styleText), hashOf(scriptText))

// hashOf is the source expression of a text in a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// document is what the template reads.
type document struct {
	Page
	Policy string
	Style  template.CSS
	Script template.JS
	JSON   template.JS
}

// Again says how to use the command.
func (document) Again() string {
	return "The command gives the same results from the same files. Start it in the same folder; with --force " +
		"it replaces the files that it has written."
}

// Write writes the page as HTML.
func (p *Page) Write(w io.Writer) error {
	value, err := inScript(p.Value)
	if err != nil {
		return err
	}
	d := document{Page: p.printable(), Policy: policy, Style: template.CSS(styleText),
		Script: template.JS(scriptText), JSON: template.JS(value)}
	for i := range d.Tables {
		if err := d.Tables[i].check(); err != nil {
			return err
		}
	}
	return pageTemplate.Execute(w, d)
}

// inScript is a value as JSON that cannot end its <script>: encoding/json escapes <, > and &.
func inScript(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("the JSON of the page: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
