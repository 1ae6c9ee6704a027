package job

import (
	"slices"
	"strings"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// endlessOption comes last of a background's options.
const endlessOption = ",endless=true"

// BackgroundHint says how Options.Background is written.
const BackgroundHint = "write PATTERN or PATTERN@HOSTS, for example uniform:100,rounds=3@n[4-103]"

// Background is another job in the network: it stays where it is and is not scored.
type Background struct {
	// Name is what the options say.
	Name string
	// Endless: the job goes on as long as the mapped one does.
	Endless bool
	// Program is what is simulated of the job; an endless one is never scaled.
	Program *workload.Program
	// Hosts has the topology host of every rank.
	Hosts []int32

	list []topology.HostSlots // as named; nil = the hosts that are left
	file string               // that names them; empty for an expression
}

// parseBackground reads Options.Background.
func parseBackground(o *Options) ([]Background, error) {
	var jobs []Background
	for _, text := range o.Background {
		pattern, hosts, named := strings.Cut(text, "@")
		if named && hosts == "" {
			return nil, Usage(BackgroundHint, "--background %s: no hosts behind the @", text)
		}
		b := Background{Name: text}
		pattern, b.Endless = strings.CutSuffix(pattern, endlessOption)
		if strings.Contains(pattern, ",endless") {
			return nil, Usage("leave it out for a job that ends",
				"--background %s: endless=true must be the last option, and once", text)
		}
		var err error
		if b.Program, err = workload.ParsePattern(pattern); err != nil {
			return nil, InOption("background", err)
		}
		if b.Endless && !onlySends(b.Program) {
			return nil, Usage("rounds=N makes it last instead; uniform, ring, hotspot and stencils without "+
				"wait=true can be endless",
				"--background %s: an endless job only sends, and ranks of this one wait for messages", text)
		}
		if named {
			if b.list, b.file, err = readHosts(hosts); err != nil {
				return nil, InOption("background", err)
			}
		}
		jobs = append(jobs, b)
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

// claimNamed gives the hosts that background jobs name to them.
func (j *Job) claimNamed(taken occupancy) error {
	for i := range j.Background {
		b := &j.Background[i]
		for _, entry := range b.list {
			host, known := j.Machine.HostIndex(entry.Name)
			if !known {
				line := lineOf(b.file, entry.Name)
				return InOption("background", unknownHost(j.Machine, entry.Name, b.file, line))
			}
			if err := taken.claim(j.Machine, host, "--background "+b.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeBackground puts the ranks of background jobs on their hosts, in order, one a slot:
// first come the jobs with hosts of their own, the others share what is left.
func (j *Job) placeBackground(ranksPerHost int, taken occupancy) error {
	for i := range j.Background {
		b := &j.Background[i]
		ranks := b.Program.Ranks()
		add := func(host int32, slots int32) {
			if slots == 0 {
				slots = int32(ranksPerHost)
			}
			for ; slots > 0 && len(b.Hosts) < ranks; slots-- {
				b.Hosts = append(b.Hosts, host)
			}
		}
		for _, entry := range b.list {
			host, _ := j.Machine.HostIndex(entry.Name) // known since claimNamed
			add(host, entry.Slots)
		}
		for host := int32(0); b.list == nil && int(host) < j.Machine.Hosts() && len(b.Hosts) < ranks; host++ {
			if taken[host] == "" {
				taken[host] = "--background " + b.Name
				add(host, 0)
			}
		}
		if len(b.Hosts) < ranks {
			return b.tooFewHosts()
		}
	}
	return nil
}

func (b *Background) tooFewHosts() error {
	room, ranks := len(b.Hosts), b.Program.Ranks()
	if b.list != nil {
		return Usage("more hosts behind the @, or NAME:SLOTS there, or --ranks-per-host",
			"--background %s: %d ranks do not fit %d slots", b.Name, ranks, room)
	}
	return Usage("--hosts LIST says which hosts the job of interest may use; the others are for background "+
		"jobs",
		"--background %s: %d ranks do not fit the %d slots that other jobs leave", b.Name, ranks, room)
}

// shareOfPackets is the most packets of the job's own program, all ranks together.
// Options.MaxPackets counts a rank, as the mean over the ranks of all jobs that end:
// these are scaled alike. An endless job goes on at its rate as long as the
// others take, whatever their volume.
func (j *Job) shareOfPackets(own int64, ranks int) int64 {
	sum := own
	for i := range j.Background {
		if b := &j.Background[i]; !b.Endless {
			sum += b.Program.Packets(j.PacketBytes)
			ranks += b.Program.Ranks()
		}
	}
	limit := workload.Limit(sum, ranks, j.MaxPackets)
	if sum <= limit {
		return max(1, own)
	}
	return max(1, int64(float64(limit)*float64(own)/float64(sum)))
}

// scaleBackground brings the background jobs that end to the job's own shares of
// the volume.
func (j *Job) scaleBackground() {
	for i := range j.Background {
		if b := &j.Background[i]; !b.Endless {
			b.Program = workload.ScaleTo(b.Program, j.Program)
		}
	}
}

// Others are the background jobs as the simulator takes them.
func (j *Job) Others() []evalsim.Job {
	var jobs []evalsim.Job
	for i := range j.Background {
		b := &j.Background[i]
		jobs = append(jobs, evalsim.Job{Program: b.Program, Hosts: b.Hosts, Endless: b.Endless})
	}
	return jobs
}
