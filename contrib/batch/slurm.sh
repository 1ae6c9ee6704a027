#!/bin/sh
#SBATCH --job-name=remap
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=4
#
# usage: sbatch contrib/batch/slurm.sh
#
# Runs an MPI program under Slurm with its ranks placed by remap. The first job records what ranks
# send each other, and maps it. Every job checks the placement, runs the program, and, where port
# counters can be read, maps again for the next job on the same hosts.
# Edit this part.
set -eu
set -- ./app                        # the MPI program and its arguments
SHORT=${SHORT:-}                    # a program or script that runs a short job, to be recorded; empty: all of it
FABRIC=${FABRIC:-fabric.txt}        # the network: output of ibnetdiscover, or a spec
WORK=${WORK:-$PWD/remap-job}        # a folder that all nodes see; files are kept here
REMAP=${REMAP:-remap}               # the program remap
RECORD=${RECORD:-$PWD/contrib/record/libremap_record.so} # made by make -C contrib/record
PORTS=${PORTS:-}                    # a file of lines "LID PORT", ports to read; empty: no counters
BUDGET=${BUDGET:-5m}                # time of each search
MPI=${MPI:-pmix}                    # how srun starts ranks of your MPI: see srun --mpi=list

mkdir -p "$WORK"
plan=$WORK/job.slurm-hostfile
ranks=$SLURM_NTASKS

# Hosts with their slots, "host:slots" a line. SLURM_TASKS_PER_NODE is such as "4(x7),2".
scontrol show hostnames "$SLURM_JOB_NODELIST" >"$WORK/nodes"
echo "$SLURM_TASKS_PER_NODE" | tr ',' '\n' |
	awk -F '[(x)]+' '{ n = $2 ? $2 : 1; while (n-- > 0) print $1 }' |
	paste -d : "$WORK/nodes" - >"$WORK/hosts.new"

# Profile: once. A later run sends the same messages, wherever its ranks sit.
if [ ! -s "$WORK/graph.csv" ]; then
	(
		[ -z "$SHORT" ] || set -- "$SHORT"
		srun --mpi="$MPI" -n "$ranks" env LD_PRELOAD="$RECORD" REMAP_RECORD="$WORK/graph" "$@"
	)
fi

# Map: for these hosts. Those of an earlier job are another part of the network.
if ! cmp -s "$WORK/hosts.new" "$WORK/hosts" || [ ! -s "$plan" ]; then
	"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts.new" --graph "$WORK/graph.csv" \
		--budget "$BUDGET" --format slurm-hostfile --output "$plan" --force
	mv "$WORK/hosts.new" "$WORK/hosts"
fi

# Verify: one-line ranks that tell their host, before node hours are spent.
"$REMAP" verify --mapping "$plan" --mapping-format slurm-hostfile --hosts "$WORK/hosts" --run

# counters FILE: what the ports have counted so far.
counters() {
	[ -n "$PORTS" ] || return 0
	while read -r lid port; do perfquery -x "$lid" "$port" </dev/null; done <"$PORTS" >"$1"
}

# Run, between two readings of the counters.
counters "$WORK/before.txt"
began=$(date +%s)
# SLURM_HOSTFILE stands on this line alone: exported, it changes what sbatch and other steps do.
SLURM_HOSTFILE=$plan srun --mpi="$MPI" -n "$ranks" -m arbitrary "$@"
counters "$WORK/after.txt"
seconds=$(($(date +%s) - began))

# Remap: for the next job on these hosts, beside what others sent during this one.
[ -n "$PORTS" ] || exit 0
"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts" --graph "$WORK/graph.csv" \
	--budget "$BUDGET" --previous "$plan" --measured "$WORK/before.txt" --measured "$WORK/after.txt" \
	--measured-seconds "$seconds" --format slurm-hostfile --output "$WORK/next.slurm-hostfile" --force
mv "$WORK/next.slurm-hostfile" "$plan"
