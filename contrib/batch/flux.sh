#!/bin/sh
#flux: --job-name=remap
#flux: --nodes=8
#flux: --nslots=32
#
# usage: flux batch contrib/batch/flux.sh
#
# Runs an MPI program under Flux with its ranks placed by remap. The first job records what ranks
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
SLOTS=${SLOTS:-4}                   # ranks on each host

mkdir -p "$WORK"
plan=$WORK/job.flux-hostfile
flux hostlist --expand --delimiter='\n' local | sed "s/\$/:$SLOTS/" >"$WORK/hosts.new"
nodes=$(wc -l <"$WORK/hosts.new")
ranks=$((nodes * SLOTS))

# Profile: once. A later run sends the same messages, wherever its ranks sit.
if [ ! -s "$WORK/graph.csv" ]; then
	(
		[ -z "$SHORT" ] || set -- "$SHORT"
		flux run -N "$nodes" -n "$ranks" env LD_PRELOAD="$RECORD" REMAP_RECORD="$WORK/graph" "$@"
	)
fi

# Map: for these hosts. Those of an earlier job are another part of the network.
if ! cmp -s "$WORK/hosts.new" "$WORK/hosts" || [ ! -s "$plan" ]; then
	"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts.new" --graph "$WORK/graph.csv" \
		--budget "$BUDGET" --format flux-hostfile --output "$plan" --force
	mv "$WORK/hosts.new" "$WORK/hosts"
fi

# Verify: one-line ranks that tell their host, before node hours are spent.
"$REMAP" verify --mapping "$plan" --mapping-format flux-hostfile --hosts "$WORK/hosts" --run

# counters FILE: what the ports have counted so far.
counters() {
	[ -n "$PORTS" ] || return 0
	while read -r lid port; do perfquery -x "$lid" "$port" </dev/null; done <"$PORTS" >"$1"
}

# Run, between two readings of the counters.
counters "$WORK/before.txt"
began=$(date +%s)
# Older Flux has no taskmap scheme "hostfile": write --format flux-taskmap, and run with
# --taskmap=manual:"$(cat "$plan")".
flux run -N "$nodes" -n "$ranks" --taskmap=hostfile:"$plan" "$@"
counters "$WORK/after.txt"
seconds=$(($(date +%s) - began))

# Remap: for the next job on these hosts, beside what others sent during this one.
[ -n "$PORTS" ] || exit 0
"$REMAP" optimize --topology "$FABRIC" --hosts "$WORK/hosts" --graph "$WORK/graph.csv" \
	--budget "$BUDGET" --previous "$plan" --measured "$WORK/before.txt" --measured "$WORK/after.txt" \
	--measured-seconds "$seconds" --format flux-hostfile --output "$WORK/next.flux-hostfile" --force
mv "$WORK/next.flux-hostfile" "$plan"
