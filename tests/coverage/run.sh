#!/bin/sh
# Run every suite in a build that counts branches, and say which were never taken: run.sh PROGRAM...
#
# PROGRAMs are the unit tests and fuzz replays. The suites of `make check` come first, then the
# calls and the steps that fail. A suite that fails is told of, and makes this fail; what it has
# counted counts.
# Environment: BUILD, PYTHON, CC; COVERAGE, the folder of profiles.
set -u

rm -f "$COVERAGE"/*.profraw
# Programs that count take longer than Check gives a test.
CK_TIMEOUT_MULTIPLIER=5
export CK_TIMEOUT_MULTIPLIER COVERAGE
status=0
sh tests/tools/check.sh "$@" || status=1
for test in fault apply serve; do
	log=$BUILD/log/faults_$test.log
	FAULT_ALL=1 LC_ALL=C.UTF-8 "$PYTHON" tests/fault/test_$test.py >"$log" 2>&1 || {
		status=1
		tail -n 40 "$log"
	}
done
"$PYTHON" tests/coverage/coverage.py "$COVERAGE" "$BUILD/gaps.txt" "$BUILD/retriage" \
	"$BUILD"/libretriage.so.*.*.* || status=1
exit $status
