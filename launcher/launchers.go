package launcher

import "strconv"

func hydraLaunches(f files, p *Placement, o Options) []Launch {
	l := Launch{Launcher: "MPICH", RankVariable: "PMI_RANK",
		Args: []string{"mpiexec.hydra", "-f", operand(f.path), "-n", strconv.Itoa(p.Ranks())}}
	if o.Bind != BindDefault {
		l.Args = append(l.Args, "-bind-to", string(o.Bind))
	}
	return []Launch{l}
}

func intelLaunches(f files, p *Placement, o Options) []Launch {
	l := Launch{Launcher: "Intel MPI", RankVariable: "PMI_RANK",
		Args: []string{"mpirun", "-machinefile", operand(f.path), "-n", strconv.Itoa(p.Ranks())}}
	switch o.Bind {
	case BindNone:
		l.Env = []string{"I_MPI_PIN=0"}
	case BindCore, BindSocket:
		l.Env = []string{"I_MPI_PIN=1", "I_MPI_PIN_DOMAIN=" + string(o.Bind)}
	}
	l.Notes = []string{"inside a scheduler's job Intel MPI takes the scheduler's hosts in place of the file " +
		"unless " +
		"I_MPI_HYDRA_RMK=0 and I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=0 are set"}
	return []Launch{l}
}

// slurmBind is the option of srun for a binding.
func slurmBind(b Bind) []string {
	switch b {
	case BindCore:
		return []string{"--cpu-bind=cores"}
	case BindSocket:
		return []string{"--cpu-bind=sockets"}
	case BindNone:
		return []string{"--cpu-bind=none"}
	}
	return nil
}

func slurmLaunches(f files, p *Placement, o Options) []Launch {
	args := append([]string{"srun", "-n", strconv.Itoa(p.Ranks()), "-m", "arbitrary"}, slurmBind(o.Bind)...)
	return []Launch{{Launcher: "Slurm", RankVariable: "SLURM_PROCID", HostVariable: "SLURMD_NODENAME",
		Env: []string{"SLURM_HOSTFILE=" + f.path}, Args: args,
		Notes: []string{"inside the allocation; SLURM_HOSTFILE belongs on the line of srun alone: exported, it " +
			"also " +
			"changes what sbatch and salloc allocate"}}}
}

func crayLaunches(f files, p *Placement, o Options) []Launch {
	args := []string{"srun", "-n", strconv.Itoa(p.Ranks()), "--ntasks-per-node=" +
		strconv.Itoa(len(p.byHost()[p.used()[0]])),
		"-m", "block"}
	return []Launch{{Launcher: "Cray MPICH",
		Env:  []string{"MPICH_RANK_REORDER_METHOD=3", "MPICH_RANK_REORDER_FILE=" + f.path},
		Args: append(args, slurmBind(o.Bind)...),
		Notes: []string{"the file names no hosts: the job's nodes must be those of --hosts, in that order; Slurm " +
			"orders nodes by name",
			"MPI_Init applies the order: other MPI libraries ignore it, and SLURM_PROCID does not show it"}}}
}

// fluxRank is the variable of a task's rank.
const fluxRank = "FLUX_TASK_RANK"

func fluxLaunches(f files, p *Placement, o Options) []Launch {
	l := Launch{Launcher: "Flux", RankVariable: fluxRank, FromFile: true, Args: fluxRun(p, o),
		Notes: []string{"the file numbers hosts: the job's nodes must be those of --hosts, in the order of " +
			"Flux's ranks", "some versions of Flux refuse numbers of ranks that differ from node to node"}}
	l.Args = append(l.Args, "--taskmap=manual:")
	return []Launch{l}
}

func fluxHostfileLaunches(f files, p *Placement, o Options) []Launch {
	return []Launch{{Launcher: "Flux", RankVariable: fluxRank,
		Args: append(fluxRun(p, o), "--taskmap=hostfile:"+f.path)}}
}

func fluxRun(p *Placement, o Options) []string {
	args := []string{"flux", "run", "-N", strconv.Itoa(len(p.used())), "-n", strconv.Itoa(p.Ranks())}
	switch o.Bind {
	case BindCore:
		args = append(args, "-o", "cpu-affinity=per-task")
	case BindNone:
		args = append(args, "-o", "cpu-affinity=off")
	}
	return args
}

func geometryLaunches(_ files, p *Placement, o Options) []Launch {
	l := Launch{Launcher: "LSF", Source: true, Args: []string{"bsub", "-n", strconv.Itoa(p.Ranks())},
		Notes: []string{"LSF decides which node gets which group of ranks: the groups hold, the nodes may differ"}}
	switch o.Bind {
	case BindCore, BindSocket:
		l.Args = append(l.Args, "-R", "affinity["+string(o.Bind)+"]")
	}
	l.Args = append(l.Args, "mpirun")
	return []Launch{l}
}

func lsfHostfileLaunches(f files, p *Placement, _ Options) []Launch {
	return []Launch{{Launcher: "LSF",
		Args:  []string{"bsub", "-hostfile", operand(f.path), "mpirun"},
		Notes: []string{"not together with -n, -m, -R or a task geometry"}}}
}

// nodeFileLaunches: Hydra reads PBS_NODEFILE by itself, a line a rank; -f would win over it.
func nodeFileLaunches(f files, p *Placement, o Options) []Launch {
	l := Launch{Launcher: "MPICH under PBS", RankVariable: "PMI_RANK", Env: []string{"PBS_NODEFILE=" + f.path},
		Args: []string{"mpiexec.hydra", "-n", strconv.Itoa(p.Ranks())},
		Notes: []string{"inside the PBS job; Open MPI under PBS adds up the lines of a host: give it an " +
			"openmpi-rankfile"}}
	if o.Bind != BindDefault {
		l.Args = append(l.Args, "-bind-to", string(o.Bind))
	}
	return []Launch{l}
}
