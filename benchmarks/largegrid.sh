#!/bin/sh
# Writes the bare graph of a 27-point stencil of SIDE^3 ranks as a METIS file,
# weights 64, 8 and 1 for faces, edges and corners, has `remap map` map it, and
# prints what /usr/bin/time says: seconds and memory of reading, mapping, the
# bound and the mapping file together.
#
#   benchmarks/largegrid.sh 64  [STRATEGY]      262,144 ranks
#   benchmarks/largegrid.sh 100 [STRATEGY]    1,000,000 ranks, a minute for the file
#
# STRATEGY is best unless given. The network has as many hosts, or more: 32 a leaf
# switch and 64 leaf switches a pod up to 64^3, else 40 and 50.
set -eu
cd "$(dirname "$0")/.."
side=${1:-64}
strategy=${2:-best}
if ! command -v /usr/bin/time >/dev/null 2>&1; then
	echo "skipped: /usr/bin/time is not installed"
	exit 0
fi
network=fattree:nodes-per-leaf=32,leaves-per-pod=64,pods=128,aggs-per-pod=16,cores=256
if [ "$side" -gt 64 ]; then
	network=fattree:nodes-per-leaf=40,leaves-per-pod=50,pods=500,aggs-per-pod=20,cores=1000
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v n="$side" 'BEGIN {
	split("64 8 1", weight, " ")
	edges = (3 * n - 2) ^ 3
	edges = (edges - n ^ 3) / 2
	printf "%d %d 001\n", n * n * n, edges
	for (x = 0; x < n; x++) for (y = 0; y < n; y++) for (z = 0; z < n; z++) {
		line = ""
		for (a = (x > 0 ? -1 : 0); a <= (x < n - 1); a++)
			for (b = (y > 0 ? -1 : 0); b <= (y < n - 1); b++)
				for (c = (z > 0 ? -1 : 0); c <= (z < n - 1); c++)
					if (a || b || c)
						line = line " " ((x + a) * n + y + b) * n + z + c + 1 " " weight[a * a + b * b + c * c]
		print substr(line, 2)
	}
}' >"$work/stencil.graph"
${GO:-go} build -o "$work/remap" ./cmd/remap
/usr/bin/time -f "%U user seconds, %e seconds, %M KB" "$work/remap" map --graph "$work/stencil.graph" \
	--topology "$network" --strategy "$strategy" --output "$work/mapping.csv"
