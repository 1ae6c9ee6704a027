#!/bin/sh
#BSUB -J remap
#BSUB -n 32
#BSUB -R "span[ptile=4]"
#BSUB -o remap.%J.out
#
# usage: bsub <contrib/batch/lsf.sh
#
# Runs an MPI program under LSF with its ranks placed by remap. The first job records what ranks
# send each other, and maps it. Every job checks the placement, runs the program, and, where port
# counters can be read, maps again for the next job on the same hosts.
# With Open MPI, which the job starts itself. "bsub -hostfile FILE" (--format lsf-hostfile) and
# LSB_TASK_GEOMETRY (--format lsf-task-geometry) place the ranks of a job that is yet to be
# submitted; here the nodes are known, so a rankfile says it all. Edit this part.
set -eu
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
ranks=$(wc -l <"$LSB_DJOB_HOSTFILE")

# Hosts with their slots, "host:slots" a line. LSF's host file has a line for each slot.
awk '!slots[$1]++ { order[++n] = $1 } END { for (i = 1; i <= n; i++) print order[i] ":" slots[order[i]] }' \
	"$LSB_DJOB_HOSTFILE" >"$WORK/hosts.new"
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
