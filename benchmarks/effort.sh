#!/bin/sh
# Maps two irregular graphs of 4608 vertices with more and less effort of the strategy
# best, and writes path length and user seconds as a table. It needs the generator of the
# comparison graphs (../shared/bench/gen.py), Python and /usr/bin/time.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f ../shared/bench/gen.py ] || [ ! -x /usr/bin/time ] || ! command -v python3 >/dev/null; then
	echo "skipped: needs ../shared/bench/gen.py, python3 and /usr/bin/time" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 ../shared/bench/gen.py "$work" >/dev/null
${GO:-go} build -o "$work/remap" ./cmd/remap
echo "| strategy | graph | path length | user s |"
echo "|---|---|---|---|"
for strategy in best:trials=1,rounds=0 best:trials=1 best best:trials=4; do
	for graph in rgg powerlaw; do
		/usr/bin/time -f %U -o "$work/user" "$work/remap" map --quiet --json --strategy "$strategy" \
			--graph "$work/$graph.graph" --topology \
			fattree:nodes-per-leaf=32,leaves-per-pod=24,pods=6,aggs-per-pod=1,cores=24 >"$work/json"
		length=$(sed -n 's/.*"avg_path_length": *\([0-9.]*\).*/\1/p' "$work/json")
		printf '| %s | %s | %.4f | %s |\n' "$strategy" "$graph" "$length" "$(cat "$work/user")"
	done
done
