#!/usr/bin/env bash
# usage: contrib/demo/demo.sh [FOLDER]
#
# The whole round on a real network, in a few minutes: a fat tree of 48 hosts is built of network
# namespaces on this machine; other jobs crowd half of it; a heat solver of 16 MPI ranks runs in the
# order in which the hosts were given, while Open MPI records its messages and the kernel counts what
# every port sends; remap reads both and finds a mapping; and the solver runs again. The others are not
# described to remap: it sees their bytes in the counters only.
#
# Prints the time of a step as measured: default, best static mapping, and what remap found. Files stay in
# FOLDER (default: a temporary one). Needs Linux, root, Go, a C compiler and Open MPI 4, which
# tools/real/install installs on Debian where it can.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$(mktemp -d)}
name=demo
mkdir -p "$folder"
for program in mpirun mpicc; do
	command -v "$program.openmpi" >/dev/null || command -v "$program" >/dev/null || "$root/tools/real/install"
done
(cd "$root" && ${GO:-go} build -o "$folder/remap" ./cmd/remap)
cd "$folder"
remap() { ./remap "$@" </dev/null; }

say() { printf '\n== %s\n' "$*"; }
trap 'remap testbed down --name "$name" --quiet' EXIT
remap testbed down --name "$name" --quiet

topology=fattree:nodes-per-leaf=6,leaves-per-pod=8,pods=1,aggs-per-pod=3,cores=0,gbps=0.02
hosts='n[0-3,6-9,12-15,18-21,24-27,30-33,36-39,42-45]' # 32 are offered, 16 ranks run
others=ring:8,endless=true@n4,n10,n16,n22,n5,n11,n17,n23 # on other hosts of leaf switches 0 to 3
job=(--name "$name" --hosts "$hosts" --background "$others" --launch-steps 20)
network=(--topology "$topology" --routing hash --packet-bytes 1448)
program=heat:4x4,bytes=60032

say "a fat tree of 48 hosts, 2:1 taper, 20 Mb/s a link"
remap testbed up --name "$name" --topology "$topology"

say "the solver in the order of the hosts, beside others; messages and port counters are recorded"
profiles=$(mktemp -d "$PWD/profiles.XXXXXX")
remap testbed run "${job[@]}" --program $program --strategy identity --launches 1 --record "$profiles" \
	--links ports.csv --force

say "a mapping from the recorded messages and the counters"
remap optimize "${network[@]}" --hosts "$hosts" --graph "$profiles" --measured ports.csv \
	--wait --output found.csv --force --control=false

say "default (identity), static (best, which knows nothing of others) and what was found, each measured"
remap testbed validate "${job[@]}" --program $program --mapping found.csv --strategies identity,best \
	--random 0 --rounds 0 --launches "${LAUNCHES:-6}"
say "files are in $folder"
