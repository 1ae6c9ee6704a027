#!/bin/sh
#PBS -N remap
#PBS -l select=8:ncpus=4:mpiprocs=4
#
# usage: qsub contrib/batch/pbs.sh
#
# Runs an MPI program under PBS with its ranks placed by remap. The first job records what ranks
# send each other, and maps it. Every job checks the placement, runs the program, and, where port
# counters can be read, maps again for the next job on the same hosts.
# With Open MPI. Edit this part.
set -eu
cd "$PBS_O_WORKDIR"
set -- ./app                        # the MPI program and its arguments
SHORT=${SHORT:-}                    # a program or script that runs a short job, to be recorded; empty: all of it
FABRIC=${FABRIC:-fabric.txt}        # the network: output of ibnetdiscover, or a spec
WORK=${WORK:-$PWD/remap-job}        # a folder that all nodes see; files are kept here
REMAP=${REMAP:-remap}               # the program remap
RECORD=${RECORD:-$PWD/contrib/record/libremap_record.so} # made by make -C contrib/record
PORTS=${PORTS:-}                    # a file of lines "LID PORT", ports to read; empty: no counters
BUDGET=${BUDGET:-5m}                # time of each search

mkdir -p "$WORK"
plan=$WORK/job.rankfile
ranks=$(wc -l <"$PBS_NODEFILE")

# Hosts with their slots, "host:slots" a line. The node file has a line for each slot.
awk '!slots[$1]++ { order[++n] = $1 } END { for (i = 1; i <= n; i++) print order[i] ":" slots[order[i]] }' \
	"$PBS_NODEFILE" >"$WORK/hosts.new"
awk -F : '{ print $1 " slots=" $2 }' "$WORK/hosts.new" >"$WORK/hostfile"

# Profile: once. A later run sends the same messages, wherever its ranks sit.
if [ ! -s "$WORK/graph.csv" ]; then
	(
		[ -z "$SHORT" ] || set -- "$SHORT"
		mpirun -np "$ranks" --hostfile "$WORK/hostfile" -x LD_PRELOAD="$RECORD" \
			-x REMAP_RECORD="$WORK/graph" "$@"
	)
fi

# Map: for these hosts. Those of an earlier job are another part of the network.
if ! cmp -s "$WORK/hosts.new" "$WORK/hosts" || [ ! -s "$plan" ]; then
	"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts.new" --graph "$WORK/graph.csv" \
		--budget "$BUDGET" --format openmpi-rankfile --output "$plan" --force
	mv "$WORK/hosts.new" "$WORK/hosts"
fi

# Verify: one-line ranks that tell their host, before node hours are spent.
"$REMAP" verify --mapping "$plan" --mapping-format openmpi-rankfile --hosts "$WORK/hosts" --run

# counters FILE: what the ports have counted so far.
counters() {
	[ -n "$PORTS" ] || return 0
	while read -r lid port; do perfquery -x "$lid" "$port" </dev/null; done <"$PORTS" >"$1"
}

# Run, between two readings of the counters.
counters "$WORK/before.txt"
began=$(date +%s)
# remap writes the hostfile of the job beside the rankfile. Open MPI 5 says --map-by rankfile:FILE=...
mpirun -np "$ranks" --hostfile "$plan.hosts" --rankfile "$plan" "$@"
counters "$WORK/after.txt"
seconds=$(($(date +%s) - began))

# Remap: for the next job on these hosts, beside what others sent during this one.
[ -n "$PORTS" ] || exit 0
"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts" --graph "$WORK/graph.csv" \
	--budget "$BUDGET" --previous "$plan" --measured "$WORK/before.txt" --measured "$WORK/after.txt" \
	--measured-seconds "$seconds" --format openmpi-rankfile --output "$WORK/next.rankfile" --force
mv "$WORK/next.rankfile" "$plan"
mv "$WORK/next.rankfile.hosts" "$plan.hosts"
