package launcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mpirun is a command of Open MPI.
func mpirun(version, ranks int, options ...string) Launch {
	return Launch{Launcher: fmt.Sprintf("Open MPI %d", version), RankVariable: "OMPI_COMM_WORLD_RANK",
		Args: append([]string{"mpirun", "-np", strconv.Itoa(ranks)}, options...)}
}

// rankfileLaunches: Open MPI 4.1.4 binds as the file says whatever --bind-to asks; 5.0.7 refuses ranks
// that share processors unless it is told that they may.
func rankfileLaunches(f files, p *Placement, o Options) []Launch {
	path, hosts := operand(f.path), operand(f.hosts)
	four := mpirun(4, p.Ranks(), "--hostfile", hosts, "--rankfile", path)
	five := mpirun(5, p.Ranks(), "--hostfile", hosts, "--map-by", "rankfile:FILE="+path)
	switch o.Bind {
	case BindNone:
		five.Args = append(five.Args, "--bind-to", "none")
	case BindSocket:
		five.Args = append(five.Args, "--bind-to", ":overload-allowed")
	}
	if strings.ContainsAny(path, "-:") {
		five.Notes = append(five.Notes, "Open MPI 5.0.7 takes no rankfile with a hyphen or colon in its path: "+
			"name "+
			"it from its own folder, without")
	}
	if o.Cores.Sockets == 0 && slices.Max(p.Slot) > 0 {
		four.Notes = append(four.Notes, "a slot is a core of the host: Open MPI 4 ends without a word where a "+
			"host "+
			"has fewer cores than slots (--bind none --host-cores 2x16 lets ranks share them)")
	}
	return []Launch{four, five}
}

// seqLaunches: Open MPI 4.1.4 binds no rank of a sequential file; 5.0.7 starts none, with exit status 0,
// unless binding is off.
func seqLaunches(f files, p *Placement, _ Options) []Launch {
	path := operand(f.path)
	return []Launch{
		mpirun(4, p.Ranks(), "--hostfile", path, "--mca", "rmaps", "seq"),
		mpirun(5, p.Ranks(), "--hostfile", path, "--map-by", "seq", "--bind-to", "none"),
	}
}

// hostfileLaunches: with a binding Open MPI 5 puts no more ranks on a host than it has cores, and the
// others on the next host, so binding is off unless asked for.
func hostfileLaunches(f files, p *Placement, o Options) []Launch {
	options := []string{"--hostfile", operand(f.path), "--map-by", "slot"}
	four, five := mpirun(4, p.Ranks(), options...), mpirun(5, p.Ranks(), options...)
	switch o.Bind {
	case BindDefault:
		five.Args = append(five.Args, "--bind-to", "none")
	default:
		four.Args = append(four.Args, "--bind-to", string(o.Bind))
		five.Args = append(five.Args, "--bind-to", string(o.Bind))
	}
	if o.Bind == BindCore || o.Bind == BindSocket {
		five.Notes = append(five.Notes, "Open MPI 5 gives a host no more ranks than it has cores, the others "+
			"go to "+
			"the next one")
	}
	return []Launch{four, five}
}
