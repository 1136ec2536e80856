#!/bin/sh
# Run fuzz targets: fuzz.sh TARGET...
#
# Each starts from the fixtures, tests/fuzz/corpus, and what it has found before, which is kept in
# BUILD/corpus/NAME; how many inputs it has been given in all is in BUILD/corpus/NAME.runs. An input
# that fails stays in BUILD, and its name is printed. Exit 1 when one failed; all are run before
# that.
# Environment: BUILD; FUZZ_SECONDS, for which each runs, 0: only what it starts from; FUZZ_RUNS: if
# set, each goes on, FUZZ_SECONDS at a time, until it has been given so many inputs; FUZZ_JOBS, how
# many run at once (default 1).
set -u

runs_of() {
	cat "$BUILD/corpus/$1.runs" 2>/dev/null || echo 0
}

# fuzz.sh --one TARGET: one of them once.
if [ "$1" = --one ]; then
	target=$2
	name=${target##*/}
	before=$(runs_of "$name")
	[ -z "${FUZZ_RUNS:-}" ] || [ "$before" -lt "$FUZZ_RUNS" ] || exit 0
	corpus=$BUILD/corpus/$name
	mkdir -p "$corpus"
	length=-max_total_time=$FUZZ_SECONDS
	[ "$FUZZ_SECONDS" -gt 0 ] || length=-runs=0
	"$target" "$length" -max_len=65536 -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$BUILD/$name-" "$corpus" fixtures tests/fuzz/corpus \
		>"$BUILD/$name.log" 2>&1
	status=$?
	given=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$BUILD/$name.log")
	echo $((before + ${given:-0})) >"$BUILD/corpus/$name.runs"
	echo "fuzz: $name: ${given:-0} inputs, $(runs_of "$name") in all"
	[ "$status" -eq 0 ] && exit 0
	tail -n 40 "$BUILD/$name.log"
	echo "fuzz: $name FAILED"
	exit 1
fi

# Whether a target is to go on.
is_short() {
	for target; do
		[ "$(runs_of "${target##*/}")" -ge "$FUZZ_RUNS" ] || return 0
	done
	return 1
}

status=0
while :; do
	printf '%s\n' "$@" | xargs -P "${FUZZ_JOBS:-1}" -n 1 sh "$0" --one || status=1
	if [ "$status" -ne 0 ] || [ -z "${FUZZ_RUNS:-}" ] || ! is_short "$@"; then
		exit "$status"
	fi
done
