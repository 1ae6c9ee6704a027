#!/bin/sh
# Prints how many instructions the simulator's event loop takes a packet-hop, in
# all and by function, as valgrind counts them: the same on every run of the same
# program, whatever else the machine does. Inlined code is listed by the file it
# comes from, under the function it has become part of.
#
#   benchmarks/instructions.sh [CASE]
#
# CASE is a name such as size=4608/topology=tapered/mapping=random (cases_test.go);
# without it, row-major. About 10 seconds.
set -eu
cd "$(dirname "$0")/.."
case=${1:-size=4608/topology=tapered/mapping=row-major}
if ! command -v valgrind >/dev/null 2>&1 || ! command -v callgrind_annotate >/dev/null 2>&1; then
	echo "skipped: valgrind is not installed"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${GO:-go} test -c -o "$work/benchmarks" ./benchmarks
if ! REMAP_BENCHMARK_CASE=$case GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1 GOGC=off \
	valgrind -q --tool=callgrind --callgrind-out-file="$work/counts" \
	--toggle-collect='remap/evalsim.(*simulator).run' \
	"$work/benchmarks" -test.run '^TestChild$' -test.v >"$work/report" 2>"$work/errors"; then
	cat "$work/report" "$work/errors" >&2
	exit 1
fi
hops=$(sed -n 's/.*"PacketHops":\([0-9]*\).*/\1/p' "$work/report")
echo "$case: instructions a packet-hop"
callgrind_annotate --auto=no --show-percs=no "$work/counts" | awk -v hops="$hops" '
	/PROGRAM TOTALS/ { gsub(",", "", $1); printf "%7.1f  in all\n", $1 / hops }
	/remap\// {
		gsub(",", "", $1)
		sub("remap/", "", $2)
		if ($1 / hops >= 0.5) printf "%7.1f  %s\n", $1 / hops, $2
	}'
