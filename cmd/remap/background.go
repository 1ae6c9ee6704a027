package main

import (
	"fmt"
	"strings"

	"remap/diagnosis"
	"remap/evalsim"
	"remap/job"
)

// backgroundFiles are the files of hosts that --background names, or might.
func (s *settings) backgroundFiles() []string {
	var files []string
	for _, text := range s.background.Value() {
		if _, hosts, named := strings.Cut(text, "@"); named {
			files = append(files, hosts)
		}
	}
	return files
}

// beside is the line below tables of a job that shares the network; empty for
// others.
func beside(j *job.Job) string {
	var names []string
	for i := range j.Background {
		spec, hosts, named := strings.Cut(j.Background[i].Name, "@")
		if named && len(hosts) > 40 {
			hosts = "..."
		}
		if named {
			spec += "@" + hosts
		}
		names = append(names, fmt.Sprintf("%s (%d ranks)", spec, j.Background[i].Program.Ranks()))
	}
	if names == nil {
		return ""
	}
	return "times and congestion are those of the job's own packets, with others in the network: " +
		strings.Join(names, ", ")
}

// verdict says what the job's own samples tell about who congests the links
// that its packets cross; empty without samples or background jobs.
func verdict(j *job.Job, results []*evalsim.Result) string {
	packets := j.Program.Packets(j.PacketBytes)
	if len(j.Background) == 0 || packets == 0 || len(results[0].Samples) == 0 {
		return ""
	}
	var bytes int64
	for _, op := range j.Program.Ops {
		if op.Kind.IsSend() {
			bytes += op.Bytes
		}
	}
	suspects := diagnosis.Suspects(j.Machine, results, 0, float64(bytes)/float64(packets))
	if len(suspects) == 0 {
		return "from the job's own samples: no link congested more than 10 % of its packets (95 % confidence)"
	}
	link := &j.Machine.Links[suspects[0].Link]
	text := fmt.Sprintf("from the job's own samples: %d links congested more than 10 %% of its packets "+
		"(95 %% confidence); it sends\nat most %.1f Gb/s over any of them, of %.0f (%s to %s)", len(suspects),
		min(suspects[0].BytesPerSecond, link.BytesPerSecond)*8/1e9, link.BytesPerSecond*8/1e9,
		j.Machine.NodeName(link.From), j.Machine.NodeName(link.To))
	if suspects[0].Use < ownUse {
		return text + ": traffic of others congests them"
	}
	return text + ": its own traffic congests some"
}

// ownUse is the share of a link's rate above which a job's own traffic may be
// what congests it.
const ownUse = 0.5
