package main

import (
	"errors"
	"io"
	"remap/commgraph"
	"remap/job"
	"remap/launcher"
	"remap/topology"
	"strings"
)

// readPlacement reads a mapping of the hosts of --hosts, or of those that it names.
func (p *program) readPlacement(path, format string) (*launcher.Placement, string, error) {
	hosts, err := p.jobHosts()
	if err != nil {
		return nil, "", inOption("hosts", err)
	}
	if format != "" {
		if err := launcher.Known(format); err != nil {
			return nil, "", inOption("mapping-format", err)
		}
	} else if format, err = p.guessFormat(path); err != nil {
		return nil, "", err
	}
	if hosts == nil {
		if hosts, err = hostsIn(path, format); errors.Is(err, launcher.ErrNoHosts) {
			return nil, "", usage("name the job's hosts in their order, for example --hosts 'node[0-7]:4'",
				"%s: a %s file names no hosts", path, format)
		}
		if err != nil {
			return nil, "", err
		}
	}
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	place, err := launcher.ReadPlacement(path, file, format, hosts, 0)
	return place, format, err
}

// guessFormat is the format of a file by its content or ending, "" = unknown. It tells a warning that
// --force has written into the file.
func (p *program) guessFormat(path string) (string, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	start, err := io.ReadAll(io.LimitReader(file, 64<<10))
	if err != nil {
		return "", err
	}
	if first, _, _ := strings.Cut(string(start), "\n"); strings.HasPrefix(first, launcher.WarningMark) {
		p.say("%s says: %s", path, oneLine(first))
	}
	return launcher.Guess(path, start), nil
}

// hostsIn lists the hosts that a mapping file names.
func hostsIn(path, format string) ([]topology.HostSlots, error) {
	file, err := commgraph.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return launcher.HostsIn(path, file, format)
}

// jobHosts are those of --hosts with their slots; nil without it.
func (p *program) jobHosts() ([]topology.HostSlots, error) {
	if p.Hosts == "" {
		return nil, nil
	}
	return job.NamedHosts(p.Hosts, p.RanksPerHost)
}
