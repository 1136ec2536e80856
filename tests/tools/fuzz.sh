#!/bin/sh
# Run each fuzz target for FUZZ_SECONDS from a corpus that starts with the fixtures: fuzz.sh TARGET...
# What a target finds new stays in BUILD/corpus; an input that fails stays in BUILD, and its name
# is printed. Exit 1 when one failed; all are run before that.
set -u

status=0
for target; do
	name=${target##*/}
	corpus=$BUILD/corpus/$name
	mkdir -p "$corpus"
	seeds=fixtures
	[ ! -d tests/fuzz/corpus ] || seeds="$seeds tests/fuzz/corpus"
	echo "fuzz: $name for $FUZZ_SECONDS s"
	# shellcheck disable=SC2086 # a list of words
	"$target" -max_total_time="$FUZZ_SECONDS" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$BUILD/$name-" "$corpus" $seeds \
		>"$BUILD/$name.log" 2>&1 || {
		status=1
		tail -n 40 "$BUILD/$name.log"
		echo "fuzz: $name FAILED"
	}
	grep -E '^stat::(number_of_executed_units|average_exec_per_sec)' "$BUILD/$name.log"
done
exit $status
