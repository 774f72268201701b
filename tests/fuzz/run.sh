#!/bin/bash
# run.sh FOLDER SECONDS TARGET... - runs each fuzz target, built in FOLDER, for so long, one a processor at a
# time; what they find is kept in FOLDER/found, what they learnt in FOLDER/corpus.  Ends like a test run.
set -u
cd "$(dirname "$0")/../.." || exit 4
folder=$1 seconds=$2
shift 2
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
seeds=()
for seed in tests/fuzz/seeds tests/streams; do
	[ ! -d "$seed" ] || seeds+=("$seed")
done
mkdir -p "$folder/found"

# one TARGET: its output in TARGET.log; a line of what came of it
one() {
	local log=$folder/$1.log units
	mkdir -p "$folder/corpus/$1"
	if "$folder/tests/fuzz/fuzz-$1" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
		-verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/found/$1-" "$folder/corpus/$1" \
		"${seeds[@]}" >"$log" 2>&1; then
		units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		echo "ok      $1: $units runs in $seconds s"
	else
		echo "FAILED  $1"
		tail -n 40 "$log" | sed 's/^/    /'
	fi
}

for target; do
	[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
	one "$target" &
done >"$folder/log"
wait
cat "$folder/log"
p=$(grep -c '^ok ' "$folder/log")
echo "$p passed, $(($# - p)) failed"
[ "$p" -eq $# ]
