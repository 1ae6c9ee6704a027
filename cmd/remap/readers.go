package main

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"remap/job"
	"remap/launcher"
	"remap/mapping"
)

// mappingFormats are what a mapping can be written as.
func mappingFormats() string { return strings.Join(launcher.Formats(), ", ") }

// mappingOutput is where a mapping goes, and the host file that its launcher needs beside it.
type mappingOutput struct {
	*output
	hosts   *output // nil: none
	rescue  *output // where the mapping goes as csv if the format cannot hold it; nil: it can, or standard output
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
	if o.format != launcher.Native && o.format != "json" {
		o.rescue, err = p.openOutput(p.output + ".csv")
	}
	return o, err
}

// launcherOptions are --bind and --host-cores.
func (p *program) launcherOptions() (o launcher.Options, err error) {
	if p.bind != "" {
		if o.Bind, err = launcher.ParseBind(p.bind); err != nil {
			return o, inOption("bind", err)
		}
	}
	if p.hostCores != "" {
		if o.Cores, err = launcher.ParseCores(p.hostCores); err != nil {
			return o, inOption("host-cores", err)
		}
	}
	return o, nil
}

// checkHosts refuses, before the work, a format that cannot have the job's hosts, if all of them will be used.
func (o *mappingOutput) checkHosts(j *job.Job) error {
	hosts := j.Allocation.Named(j.Machine)
	slots, most := 0, 0
	for _, h := range hosts {
		slots, most = slots+int(h.Slots), max(most, int(h.Slots))
	}
	if slots-most >= j.Traffic.Ranks() {
		return nil
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
		if !out.options.Force || !errors.Is(err, launcher.ErrCannotHold) {
			return p.rescue(out, place, err)
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
		if err := out.hosts.write(func(w io.Writer) error { return launcher.WriteCompanion(w, place) }); err != nil {
			return err
		}
	}
	p.sayLaunches(launcher.Launches(out.format, path, hosts, place, out.options))
	return nil
}

// rescue keeps what was found where the format asked for cannot hold it: as csv.
func (p *program) rescue(out *mappingOutput, place *launcher.Placement, reason error) error {
	to := out.rescue
	if to == nil {
		return reason
	}
	err := to.write(func(w io.Writer) error {
		return launcher.WritePlacement(w, launcher.Native, place, launcher.Options{})
	})
	if err != nil {
		return errors.Join(reason, err)
	}
	return fail(hintOf(reason), "%w; it is kept in %s, which remap convert --mapping takes", reason, to.path)
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
