package main

import (
	"context"
	"errors"
	"io"
	"time"

	"remap/simfiles"
	"remap/testbed"
)

// bedFiles are what a measurement of the testbed's ports is written to.
type bedFiles struct{ report, links, snapshots *output }

func (p *program) openBedFiles() (f *bedFiles, err error) {
	f = &bedFiles{}
	if simfiles.FormatOf(p.bed.snapshots) != simfiles.CSV {
		return nil, usage("the file is CSV", "--snapshots %s: the ending says another format", p.bed.snapshots)
	}
	for _, file := range []struct {
		path string
		to   **output
	}{{p.output, &f.report}, {p.links, &f.links}, {p.bed.snapshots, &f.snapshots}} {
		if *file.to, err = p.openOutput(file.path); err != nil {
			return nil, err
		}
	}
	return f, differ(namedOutput{"output", f.report}, namedOutput{"links", f.links},
		namedOutput{"snapshots", f.snapshots})
}

// write writes the files that were asked for.
func (f *bedFiles) write(m *testbed.Measurement) (err error) {
	if f.links.toFile() {
		format := simfiles.FormatOf(f.links.path).String()
		err = f.links.write(func(w io.Writer) error { return m.WriteLinks(w, format) })
	}
	if f.snapshots.toFile() {
		err = errors.Join(err, f.snapshots.write(func(w io.Writer) error { return m.WriteSnapshots(w) }))
	}
	return err
}

func (p *program) testbedMeasure(ctx context.Context) error {
	if p.links == "" && p.bed.snapshots == "" {
		return usage("--links FILE, --snapshots FILE or both", "nothing says where the counters go")
	}
	if !(p.bed.seconds > 0 && p.bed.seconds <= 86400) {
		return usage("for example 10", "--seconds must be above 0 and at most 86400, not %g", p.bed.seconds)
	}
	files, err := p.openBedFiles()
	if err != nil {
		return err
	}
	network, err := testbed.Open(p.bed.Name)
	if err != nil {
		return unsupported(err)
	}
	defer network.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.bed.seconds*float64(time.Second)))
	defer cancel()
	m, err := network.Watch(ctx, p.bed.look)
	if err != nil {
		return err
	}
	if err := files.write(m); err != nil {
		return err
	}
	p.say("%d ports measured for %.1f s; %d packets were dropped", len(m.After), m.Seconds, m.Drops())
	return nil
}
