package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"remap/internal/files"
	"remap/job"
	"remap/launcher"
	"remap/mapping"
)

// mappingFormats are what a mapping can be written as.
func mappingFormats() string { return strings.Join(launcher.Formats(), ", ") }

// mappingOutput is where a mapping goes, and the host file that its launcher needs beside it.
type mappingOutput struct {
	*output
	hosts *output // nil: none
	// where the mapping goes as csv if the format cannot hold it; nil: it can, or standard output
	format  string
	options launcher.Options
}

// openMappingOutput checks --format, --output, --bind and --host-cores before the work. Without --format the
// ending of --output decides where it is that of a format.
func (p *program) openMappingOutput() (*mappingOutput, error) {
	o := &mappingOutput{format: p.format}
	if !p.asked {
		o.format = cmp.Or(launcher.FormatOf(p.output), launcher.Native)
	}
	var err error
	if o.options, err = p.launcherOptions(); err != nil {
		return nil, err
	}
	o.options.Force = p.force
	if err := launcher.CheckOptions(o.format, o.options); err != nil {
		if launcher.Known(o.format) == nil {
			return nil, inOption("bind", err)
		}
		return nil, inOption("format", err)
	}
	if o.output, err = p.openOutput(p.output); err != nil || !o.toFile() || o.direct {
		return o, err
	}
	if launcher.HasCompanion(o.format) {
		if o.hosts, err = p.openOutput(p.output + launcher.CompanionSuffix); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// keepable refuses, before a search, a format that may not hold what is found where there is no file beside
// which it could be kept.
func (o *mappingOutput) keepable() error {
	if o.toFile() || o.options.Force || !launcher.MayRefuse(o.format) {
		return nil
	}
	return usage("--output FILE; what is found is then kept as csv if the format cannot hold it",
		"--format %s cannot hold every mapping, and without --output it would be lost", o.format)
}

// launcherOptions are --bind and --host-cores.
func (p *program) launcherOptions() (o launcher.Options, err error) {
	if p.bind != "" {
		if o.Bind, err = launcher.ParseBind(p.bind); err != nil {
			return o, inOption("bind", err)
		}
	}
	if p.hostCores != "" && p.bind == "" {
		return o, usage("for example --bind core", "--host-cores says what cores --bind has, and --bind is missing")
	}
	if p.hostCores != "" {
		if o.Cores, err = launcher.ParseCores(p.hostCores); err != nil {
			return o, inOption("host-cores", err)
		}
	}
	return o, nil
}

// checkHosts refuses, before the work, a format that cannot have the job's hosts, if all will be used.
func (o *mappingOutput) checkHosts(j *job.Job) error {
	hosts := j.Allocation.Named(j.Machine)
	slots, least := 0, math.MaxInt
	for _, h := range hosts {
		slots, least = slots+int(h.Slots), min(least, int(h.Slots))
	}
	if slots-least >= j.Traffic.Ranks() {
		return nil // one may stay empty
	}
	return launcher.CheckHosts(o.format, hosts, o.options)
}

// writeMapping writes a mapping where --output says, with the launch line on
// stderr; with --json nowhere else.
func (p *program) writeMapping(out *mappingOutput, j *job.Job, m mapping.Mapping) error {
	return p.writePlacement(out, launcher.NewPlacement(j.Machine, j.Allocation, m))
}

func (p *program) writePlacement(out *mappingOutput, place *launcher.Placement) error {
	if p.json && !out.toFile() {
		return nil
	}
	if err := launcher.Check(out.format, place, out.options); err != nil {
		if !out.options.Force || !launcher.CanForce(out.format) || !errors.Is(err, launcher.ErrCannotHold) {
			return p.keep(out, place, err)
		}
		p.say("warning: %s", oneLine(err.Error()))
	}
	err := out.write(func(w io.Writer) error {
		return launcher.WritePlacement(w, out.format, place, out.options)
	})
	if err != nil {
		return err
	}
	path, hosts := "FILE", "HOSTFILE"
	if out.toFile() {
		path = out.path
	}
	if out.hosts != nil {
		hosts = out.hosts.path
		if err := out.hosts.write(func(w io.Writer) error {
			return launcher.WriteCompanion(w,
				place)
		}); err != nil {
			return err
		}
	}
	p.sayLaunches(launcher.Launches(out.format, path, hosts, place, out.options))
	return nil
}

// keep writes what was found as csv where the format asked for cannot hold it: beside the output, to a file
// that is not there yet. What was read from a file is there already.
func (p *program) keep(out *mappingOutput, place *launcher.Placement, reason error) error {
	if !out.toFile() || out.direct || p.name == "convert" {
		return reason
	}
	path := out.path + ".csv"
	for i := 1; ; i++ {
		if _, err := os.Lstat(path); err != nil {
			break
		}
		path = fmt.Sprintf("%s.%d.csv", out.path, i)
	}
	err := files.Replace(path, func(w io.Writer) error {
		return launcher.WritePlacement(w, launcher.Native, place, launcher.Options{})
	})
	if err != nil {
		return errors.Join(reason, err)
	}
	return fail(hintOf(reason), "%w; it is kept in %s, which remap convert --mapping takes", reason, path)
}

// sayLaunches tells how to use what was written.
func (p *program) sayLaunches(launches []launcher.Launch) {
	for _, l := range launches {
		line := l.Line("PROGRAM")
		if len(launches) > 1 {
			line += "  # " + l.Launcher
		}
		p.say("launch: %s", line)
		for _, note := range l.Notes {
			p.say("note: %s", note)
		}
	}
}
