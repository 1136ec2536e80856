#!/bin/sh
# Run every suite of `make check` and add up: check.sh PROGRAM...
#
# PROGRAMs are the unit tests and fuzz replays that make has built; the other suites are found
# here. One suite more runs at once than there are CPUs, for some mostly wait, the long ones first.
# Every suite runs, whatever the others said, and is told of when all have ended. The last line is
# "N passed, N failed".
# Environment: BUILD, SANITIZE, PYTHON, CC. Under sanitizers the suites about what a killed process
# leaves behind, installing, shells and schemas are left out: those of plain builds show the same,
# and `make fuzz` replays the fuzz targets under clang's sanitizers. Unit tests then share a process, for
# each start is slow, but for those that change what a process may do.
set -u

# check.sh --run LOG COMMAND...: one suite.
if [ "${1:-}" = --run ]; then
	log=$2
	shift 2
	start=$(date +%s)
	timeout -k 5 900 "$@" >"$log" 2>&1 </dev/null
	echo "$? $(($(date +%s) - start))" >"$log.status"
	exit 0
fi

BUILD=${BUILD:-build}
PYTHON=${PYTHON:-/usr/bin/python3}
logs=$BUILD/log
passed=0
failed=0
skipped=0
rm -rf "$logs"
mkdir -p "$logs"

LC_ALL=C.UTF-8
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
RETRIAGE=$(cd "$BUILD" && pwd)/retriage
export BUILD PYTHON SANITIZE CC LC_ALL ASAN_OPTIONS UBSAN_OPTIONS RETRIAGE

# Counts of one log as "passed failed skipped": our own closing line, Check's or unittest's.
count() {
	awk '
	/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; s += $5 + 0; known = 1 }
	/^[0-9]+%: Checks: / {
		gsub(/,/, "")
		bad = $5 + $7; p += $3 - bad; f += bad; known = 1
	}
	/^Ran [0-9]+ tests? in / { ran = $2; known = 1 }
	/^(OK|FAILED)( \(|$)/ {
		bad = 0
		n = split($0, part, /[(),]/)
		for (i = 2; i <= n; i++) {
			split(part[i], kv, "=")
			if (kv[1] ~ /failures|errors|unexpected/) bad += kv[2]
			if (kv[1] ~ /skipped/) { s += kv[2]; ran -= kv[2] }
		}
		p += ran - bad; f += bad
	}
	END { print p + 0, f + 0, s + 0, known + 0 }' "$1"
}

log_of() {
	echo "$logs/$(echo "$1" | tr / _).log"
}

# report NAME: what its log and its status say; a suite that died or says nothing is one failure.
report() {
	name=$1
	log=$(log_of "$name")
	[ -f "$log.status" ] || echo 127 0 >"$log.status"
	read -r status seconds <"$log.status"
	# shellcheck disable=SC2046 # four words
	set -- $(count "$log")
	p=$1 f=$2 s=$3
	if [ "$f" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$4" -eq 0 ]; }; then
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ "$f" -eq 0 ]; then
		printf 'ok    %-36s %4d s %6d passed' "$name" "$seconds" "$p"
		[ "$s" -eq 0 ] || printf ', %d skipped' "$s"
		echo
	else
		printf 'FAIL  %-36s %4d s %6d passed, %d failed (exit %d)\n' "$name" "$seconds" "$p" "$f" \
			"$status"
		tail -n 200 "$log" | sed 's/^/      /'
	fi
}

# The suites as lines "NAME COMMAND...".
suites() {
	for script in $first $(ls tests/*/test_*.py); do
		case ${SANITIZE:+asan}:$script in
		asan:tests/kill/* | asan:tests/crash/* | asan:tests/install/*) ;;
		asan:tests/completion/* | asan:tests/jail/* | asan:tests/journal/*) ;;
		asan:tests/schema/*) ;;
		*.sh) echo "cli sh $script" ;;
		*) echo "${script#tests/} $PYTHON $script" ;;
		esac
	done | awk '!seen[$1]++'
	for program; do
		name=${program#"$BUILD"/tests/}
		corpus=
		case ${SANITIZE:+asan}:$name in
		asan:*.replay) continue ;;
		*.replay)
			for dir in fixtures tests/fuzz/corpus ../shared/corpora/JSONTestSuite/test_parsing; do
				[ ! -d "$dir" ] || corpus="$corpus $dir"
			done
			;;
		esac
		case ${SANITIZE:+asan}:$name in
		*/test_lockfile | */test_regex | */test_repack_fail | */test_rewrite | */test_splice) ;;
		asan:unit/*) program="env CK_FORK=no $program" ;;
		esac
		echo "$name $program$corpus"
	done
}

# Those that take longest; whatever begins last is what everybody waits for.
first='tests/http/test_http.py tests/kill/test_kill.py tests/cli/run.sh tests/property/test_property.py
	tests/property/test_list.py tests/sarif/test_sarif.py tests/kill/test_serve.py
	tests/fault/test_serve.py'
suites "$@" >"$logs/suites"
while read -r name command; do
	echo "$(log_of "$name") $command"
done <"$logs/suites" | xargs -P $(($(nproc) + 1)) -L 1 sh "$0" --run
while read -r name _; do
	report "$name"
done <"$logs/suites"

[ $skipped -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
