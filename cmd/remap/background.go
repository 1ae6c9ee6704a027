package main

import (
	"fmt"
	"slices"
	"strings"

	"remap/diagnosis"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// endlessOption comes last of a background's options.
const endlessOption = ",endless=true"

const backgroundHint = "write PATTERN or PATTERN@HOSTS, for example uniform:100,rounds=3@n[4-103]"

// background is another job in the network: it stays where it is and is not
// scored.
type background struct {
	name    string               // as the user wrote it
	endless bool                 // goes on as long as the job does
	program *workload.Program    // what is simulated of it once the job is loaded; an endless one is never scaled
	list    []topology.HostSlots // as named; nil = the hosts that are left
	file    string               // that names them; empty for an expression
	hosts   []int32              // length ranks: topology host of every rank
}

// parseBackgrounds reads every --background PATTERN[@HOSTS].
func (p *program) parseBackgrounds() ([]background, error) {
	var jobs []background
	for _, text := range p.background.Value() {
		pattern, hosts, named := strings.Cut(text, "@")
		if named && hosts == "" {
			return nil, usage(backgroundHint, "--background %s: no hosts behind the @", text)
		}
		j := background{name: text}
		pattern, j.endless = strings.CutSuffix(pattern, endlessOption)
		if strings.Contains(pattern, ",endless") {
			return nil, usage("leave it out for a job that ends", "--background %s: endless=true must be the last option, and once", text)
		}
		var err error
		if j.program, err = workload.ParsePattern(pattern); err != nil {
			return nil, inOption("background", err)
		}
		if j.endless && !onlySends(j.program) {
			return nil, usage("rounds=N makes it last instead; uniform, ring, hotspot and stencils without wait=true can be endless",
				"--background %s: an endless job only sends, and ranks of this one wait for messages", text)
		}
		if named {
			if j.list, j.file, err = readHosts(hosts); err != nil {
				return nil, inOption("background", err)
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// onlySends tells whether ranks wait for no message, so that they can begin
// again whenever they are through.
func onlySends(program *workload.Program) bool {
	return !slices.ContainsFunc(program.Ops, func(op workload.Op) bool {
		return op.Kind != workload.Send && op.Kind != workload.Idle && op.Kind != workload.Compute
	})
}

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

// occupancy says which job has a host; empty = nobody.
type occupancy []string

// claim gives a named host to a job, and refuses one that another has.
func (o occupancy) claim(machine *topology.Topology, host int32, job string) error {
	if o[host] != "" && o[host] != job {
		return usage("every host belongs to one job: name others, by --hosts or behind the @ of --background",
			"host %s is given to both %s and %s", machine.HostNames[host], o[host], job)
	}
	o[host] = job
	return nil
}

// claimNamed gives the named hosts of background jobs to them.
func (o occupancy) claimNamed(machine *topology.Topology, jobs []background) error {
	for i := range jobs {
		for _, entry := range jobs[i].list {
			host, known := machine.HostIndex(entry.Name)
			if !known {
				return inOption("background", unknownHost(machine, entry.Name, jobs[i].file, lineOf(jobs[i].file, entry.Name)))
			}
			if err := o.claim(machine, host, "--background "+jobs[i].name); err != nil {
				return err
			}
		}
	}
	return nil
}

// place puts the ranks of background jobs on their hosts, in order, one a slot:
// first come the jobs with hosts of their own, the others share what is left.
func (p *program) place(j *job, taken occupancy) error {
	for i := range j.background {
		b := &j.background[i]
		ranks := b.program.Ranks()
		add := func(host int32, slots int32) {
			if slots == 0 {
				slots = int32(p.ranksPerHost)
			}
			for ; slots > 0 && len(b.hosts) < ranks; slots-- {
				b.hosts = append(b.hosts, host)
			}
		}
		for _, entry := range b.list {
			host, _ := j.machine.HostIndex(entry.Name) // known since claimNamed
			add(host, entry.Slots)
		}
		for host := int32(0); b.list == nil && int(host) < j.machine.Hosts() && len(b.hosts) < ranks; host++ {
			if taken[host] == "" {
				taken[host] = "--background " + b.name
				add(host, 0)
			}
		}
		if len(b.hosts) < ranks {
			return b.tooFewHosts()
		}
	}
	return nil
}

func (b *background) tooFewHosts() error {
	room := len(b.hosts)
	if b.list != nil {
		return usage("more hosts behind the @, or NAME:SLOTS there, or --ranks-per-host", "--background %s: %d ranks do not fit %d slots", b.name, b.program.Ranks(), room)
	}
	return usage("--hosts LIST says which hosts the job of interest may use; the others are for background jobs",
		"--background %s: %d ranks do not fit the %d slots that other jobs leave", b.name, b.program.Ranks(), room)
}

// shareOfPackets is the most packets of the job's own program, all ranks together.
// --max-packets counts a rank, as the mean over the ranks of all jobs that end:
// these are scaled alike. An endless job goes on at its rate as long as the
// others take, whatever their volume.
func (p *program) shareOfPackets(own int64, ranks int, jobs []background) int64 {
	sum := own
	for i := range jobs {
		if !jobs[i].endless {
			sum += jobs[i].program.Packets(p.packetBytes)
			ranks += jobs[i].program.Ranks()
		}
	}
	limit := workload.Limit(sum, ranks, p.maxPackets)
	if sum <= limit {
		return max(1, own)
	}
	return max(1, int64(float64(limit)*float64(own)/float64(sum)))
}

// scaleBackground brings the background jobs that end to the job's own shares of
// the volume.
func (p *program) scaleBackground(j *job) {
	for i := range j.background {
		if b := &j.background[i]; !b.endless {
			b.program = workload.ScaleTo(b.program, j.program)
		}
	}
}

// asJobs is the mapped job, and the others behind it, as the simulator sees them.
func (j *job) asJobs(m mapping.Mapping) []evalsim.Job {
	return append([]evalsim.Job{{Program: j.program, Hosts: m.Hosts(j.allocation)}}, j.others()...)
}

// others are the background jobs as the simulator sees them, or traffic that stands for
// measured ones.
func (j *job) others() []evalsim.Job {
	var jobs []evalsim.Job
	if j.measured != nil && j.measured.others != nil {
		jobs = slices.Clone(j.measured.others.Jobs[0])
	}
	for i := range j.background {
		jobs = append(jobs, evalsim.Job{Program: j.background[i].program, Hosts: j.background[i].hosts, Endless: j.background[i].endless})
	}
	return jobs
}

// beside is the line below tables of a job that shares the network; empty for
// others.
func (j *job) beside() string {
	var names []string
	for i := range j.background {
		spec, hosts, named := strings.Cut(j.background[i].name, "@")
		if named && len(hosts) > 40 {
			hosts = "..."
		}
		if named {
			spec += "@" + hosts
		}
		names = append(names, fmt.Sprintf("%s (%d ranks)", spec, j.background[i].program.Ranks()))
	}
	if names == nil {
		return ""
	}
	return "times and congestion are those of the job's own packets, with others in the network: " + strings.Join(names, ", ")
}

// verdict says what the job's own samples tell about who congests the links
// that its packets cross; empty without samples or background jobs.
func (j *job) verdict(results []*evalsim.Result) string {
	packets := j.program.Packets(j.packetBytes)
	if len(j.background) == 0 || packets == 0 || len(results[0].Samples) == 0 {
		return ""
	}
	var bytes int64
	for _, op := range j.program.Ops {
		if op.Kind.IsSend() {
			bytes += op.Bytes
		}
	}
	suspects := diagnosis.Suspects(j.machine, results, 0, float64(bytes)/float64(packets))
	if len(suspects) == 0 {
		return "from the job's own samples: no link congested more than 10 % of its packets (95 % confidence)"
	}
	link := &j.machine.Links[suspects[0].Link]
	text := fmt.Sprintf("from the job's own samples: %d links congested more than 10 %% of its packets (95 %% confidence); it sends\nat most %.1f Gb/s over any of them, of %.0f (%s to %s)",
		len(suspects), min(suspects[0].BytesPerSecond, link.BytesPerSecond)*8/1e9, link.BytesPerSecond*8/1e9, j.machine.NodeName(link.From), j.machine.NodeName(link.To))
	if suspects[0].Use < ownUse {
		return text + ": traffic of others congests them"
	}
	return text + ": its own traffic congests some"
}

// ownUse is the share of a link's rate above which a job's own traffic may be
// what congests it.
const ownUse = 0.5
