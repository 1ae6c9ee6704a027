// Command results measures what docs/results tells: it runs the commands of
// docs/results/pages.toml from the repository root and writes each page whole.
//
//	make results                       all pages, hours
//	make results PAGES="peers speed"   these
//
// With -text the pages are written with the output they have: title, about or takes changed.
// With -from the output of a page is taken from a file in place of its command: a
// measurement that was made before, whose commit and date -commit and -date tell.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// options are those of the command line.
type options struct {
	root, from, commit, date string
	cores                    int
	text                     bool
	names                    []string
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", ".", "the repository's root, where commands run")
	flag.StringVar(&o.from, "from", "", "take the output of the one page named from this file")
	flag.StringVar(&o.commit, "commit", "", "with -from: the commit that was measured")
	flag.StringVar(&o.date, "date", "", "with -from: the day of the measurement, as 2026-11-22")
	flag.IntVar(&o.cores, "cores", runtime.NumCPU(), "with -from: the cores of the machine")
	flag.BoolVar(&o.text, "text", false, "measure nothing: write what pages.toml tells around the output")
	flag.Parse()
	o.names = flag.Args()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

// run writes the pages named, or all, and then the index. A page whose command fails
// stays as it was; the error names all of these.
func run(o options) error {
	folder := filepath.Join(o.root, "docs", "results")
	all, err := readPages(filepath.Join(folder, "pages.toml"))
	if err != nil {
		return err
	}
	chosen, err := choose(all, o.names)
	if err != nil {
		return err
	}
	switch {
	case o.from != "":
		err = o.recorded(folder, chosen)
	case o.text:
		err = rewrite(folder, chosen)
	default:
		err = measureAll(o.root, folder, chosen)
	}
	index, indexErr := indexOf(all, folder)
	if indexErr == nil {
		indexErr = os.WriteFile(filepath.Join(folder, "README.md"), []byte(index), 0o666)
	}
	return errors.Join(err, indexErr)
}

// recorded writes one page from the file named by -from.
func (o *options) recorded(folder string, chosen []page) error {
	if _, err := time.Parse(time.DateOnly, o.date); err != nil || o.commit == "" || len(o.names) != 1 {
		return errors.New("-from needs one page, -commit and -date, as in -commit 0d65853 -date 2026-11-22")
	}
	output, err := os.ReadFile(o.from)
	if err != nil {
		return err
	}
	m := measurement{commit: o.commit, date: o.date, cores: o.cores, recorded: true,
		output: string(output)}
	return chosen[0].save(folder, m)
}

// rewrite writes pages that have an output around it; others are left out.
func rewrite(folder string, chosen []page) error {
	var failed []error
	for _, p := range chosen {
		m, err := p.kept(folder)
		if err == nil {
			err = p.save(folder, m)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// measureAll runs the commands of the pages one after the other.
func measureAll(root, folder string, chosen []page) error {
	if err := buildRemap(root, chosen); err != nil {
		return err
	}
	commit, err := commitOf(root)
	if err != nil {
		return err
	}
	var failed []error
	for i, p := range chosen {
		fmt.Fprintf(os.Stderr, "%s (%d of %d; takes %s)\n", p.Name, i+1, len(chosen), p.Takes)
		begin := time.Now()
		m := measurement{commit: commit, date: begin.Format(time.DateOnly), cores: runtime.NumCPU()}
		m.output, err = p.measure(root)
		if err == nil {
			err = p.save(folder, m)
		} else {
			err = errors.Join(err, keepFailed(root, p, m))
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s is left as it was: %w", p.Name, err))
			fmt.Fprintf(os.Stderr, "%s failed: %v\n", p.Name, err)
			continue
		}
		fmt.Fprintf(os.Stderr, "%s written after %v\n", p.Name, time.Since(begin).Round(time.Second))
	}
	return errors.Join(failed...)
}

// keepFailed saves what failing commands told beside the tools, for whoever looks why: hours
// may have gone into it.
func keepFailed(root string, p page, m measurement) error {
	folder := filepath.Join(root, ".tools")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	file := filepath.Join(folder, p.Name+".failed.md")
	fmt.Fprintf(os.Stderr, "%s: the output is in %s\n", p.Name, file)
	return os.WriteFile(file, []byte(p.markdown(m)), 0o666)
}
