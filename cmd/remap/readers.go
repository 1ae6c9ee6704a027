package main

import (
	"io"
	"strings"

	"remap/job"
	"remap/launcher"
	"remap/mapping"
)

// mappingFormats are what a mapping can be written as.
func mappingFormats() string { return strings.Join(launcher.Formats(), ", ") }

// openMappingOutput checks --format and --output before the work.
func (p *program) openMappingOutput() (*output, error) {
	if err := launcher.Check(p.format); err != nil {
		return nil, inOption("format", err)
	}
	return p.openOutput(p.output)
}

// writeMapping writes a mapping where --output says, with the launch line on
// stderr; with --json nowhere else.
func (p *program) writeMapping(out *output, j *job.Job, m mapping.Mapping) error {
	if p.json && !out.toFile() {
		return nil
	}
	err := out.write(func(w io.Writer) error {
		return launcher.Write(w, p.format, j.Machine, j.Allocation, m)
	})
	if err != nil {
		return err
	}
	path := "FILE"
	if out.toFile() {
		path = out.path
	}
	if line := launcher.LaunchLine(p.format, path, len(m)); line != "" {
		p.say("launch: %s", line)
	}
	return nil
}
