#!/bin/sh
# Run fuzz targets under AFL++, whose ways to change an input are others: fuzz_afl.sh TARGET...
#
# TARGETs are built by afl-clang-fast and keep their process from input to input. They link the layer
# that decodes, not the program: that confines its processes, with filters of calls that forbid just
# what AFL's fork server does, and there is no option to leave that out.
# Each starts from the fixtures, tests/fuzz/corpus and FUZZ_CORPUS/NAME, for FUZZ_SECONDS. What
# reaches new code is then added to FUZZ_CORPUS/NAME, by FUZZ_PLAIN/NAME, the target built for
# libFuzzer; the number of inputs to FUZZ_CORPUS/NAME.afl. An input that fails stays in BUILD, and its
# name is printed. Exit 1 when one failed; all are run before that.
# Environment: BUILD; FUZZ_CORPUS; FUZZ_PLAIN; FUZZ_SECONDS.
set -u
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1

status=0
for target; do
	name=${target##*/}
	work=$BUILD/afl/$name
	rm -rf "$work"
	mkdir -p "$work/seeds" "$FUZZ_CORPUS/$name"
	find fixtures tests/fuzz/corpus "$FUZZ_CORPUS/$name" -maxdepth 1 -type f -size -128 \
		-exec cp {} "$work/seeds" \;
	afl-fuzz -V "$FUZZ_SECONDS" -m none -t 5000 -i "$work/seeds" -o "$work" -- "$target" \
		>"$BUILD/$name.log" 2>&1 || {
		tail -n 40 "$BUILD/$name.log"
		echo "fuzz: $name FAILED under AFL++"
		status=1
		continue
	}
	given=$(awk '$1 == "execs_done" { print $3 }' "$work/default/fuzzer_stats")
	before=$(cat "$FUZZ_CORPUS/$name.afl" 2>/dev/null || echo 0)
	echo $((before + ${given:-0})) >"$FUZZ_CORPUS/$name.afl"
	echo "fuzz: $name: ${given:-0} inputs by AFL++, $(cat "$FUZZ_CORPUS/$name.afl") in all"
	"$FUZZ_PLAIN/$name" -merge=1 -max_len=65536 -artifact_prefix="$BUILD/$name-" \
		"$FUZZ_CORPUS/$name" "$work/default/queue" >"$BUILD/$name-merge.log" 2>&1 ||
		tail -n 20 "$BUILD/$name-merge.log"
	for found in "$work"/default/crashes/id* "$work"/default/hangs/id*; do
		[ -e "$found" ] || continue
		kept=$BUILD/$name-$(sha256sum <"$found" | cut -c -16)
		cp "$found" "$kept"
		echo "fuzz: $name FAILED under AFL++: $kept"
		status=1
	done
done
exit $status
