#!/bin/sh
# Golden tests of the command line: run.sh [--update] [CASE...]
#
# A case is a folder with `cmd`, a piece of shell, and what it must give: `stdout`, `stderr` (both
# empty when absent) and `exit` (0 when absent). It runs in an empty directory with retriage in
# PATH; the links `fixtures` (also $FIXTURES) and `real` (also $REAL) lead to the data. Without that
# data `real` leads nowhere, but is there: a case that lists its directory must not hang on it.
# A file `needs` names what a case cannot do without: "real", "serve" (not in every build), "pty" (a
# pseudo-terminal), or commands; else it is said to be skipped.
# --update writes what came out into the case: read it before it is committed.
# SANITIZE, as for make: only every fifth case runs, unless some are named.
# RETRIAGE names the program (default build/retriage).
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
RETRIAGE=${RETRIAGE:-$top/build/retriage}
update=
if [ "${1:-}" = --update ]; then
	update=1
	shift
fi
if [ ! -x "$RETRIAGE" ]; then
	echo "$RETRIAGE is not there; build it first, or set RETRIAGE"
	exit 1
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/retriage-cli.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT INT TERM

unset NO_COLOR POSIXLY_CORRECT RETRIAGE_ACTOR LOGNAME USER
TERM=dumb
LC_ALL=C.UTF-8
PYTHON=${PYTHON:-/usr/bin/python3}
TOP=$top
FIXTURES=fixtures
REAL=real
PATH=$(dirname "$RETRIAGE"):$PATH
export TERM LC_ALL PYTHON TOP FIXTURES REAL PATH

passed=0
failed=0
skipped=0

needs_met() {
	[ -f "$1/needs" ] || return 0
	for need in $(cat "$1/needs"); do
		case $need in
		real) [ -d "$top/../shared/real" ] || return 1 ;;
		serve) "$RETRIAGE" serve --help >/dev/null 2>&1 || return 1 ;;
		pty) "$PYTHON" -c 'import pty; pty.openpty()' 2>/dev/null || return 1 ;;
		*) command -v "$need" >/dev/null 2>&1 || return 1 ;;
		esac
	done
}

# The file as it has to be; absent means empty.
golden() {
	if [ -f "$1" ]; then cat "$1"; else echo "$2"; fi
}

compare() {
	case=$1
	same=0
	for stream in stdout stderr; do
		golden "$case/$stream" "" >"$scratch/want"
		[ -f "$case/$stream" ] || : >"$scratch/want"
		cmp -s "$scratch/want" "$scratch/$stream" && continue
		same=1
		echo "--- ${case##*/}: $stream"
		diff -u --label want --label have "$scratch/want" "$scratch/$stream" | head -n 60
	done
	want=$(golden "$case/exit" 0)
	if [ "$want" != "$status" ]; then
		same=1
		echo "--- ${case##*/}: want exit $want, have $status"
	fi
	return $same
}

keep() {
	for stream in stdout stderr; do
		if [ -s "$scratch/$stream" ]; then
			cp "$scratch/$stream" "$1/$stream"
		else
			rm -f "$1/$stream"
		fi
	done
	if [ "$status" -eq 0 ]; then rm -f "$1/exit"; else echo "$status" >"$1/exit"; fi
}

# Under sanitizers, which make each start slow, every fifth runs, and has longer.
step=1 limit=120
[ $# -gt 0 ] || [ -z "${SANITIZE:-}" ] || step=5 limit=600
[ $# -gt 0 ] || set -- "$top"/tests/cli/*/
number=0
for case; do
	number=$((number + 1))
	[ $((number % step)) -eq 0 ] || continue
	case=${case%/}
	case=$top/tests/cli/${case##*/}
	if [ ! -f "$case/cmd" ]; then
		echo "--- $case: no cmd"
		failed=$((failed + 1))
		continue
	fi
	if ! needs_met "$case"; then
		echo "--- ${case##*/}: skipped: there is no $need"
		skipped=$((skipped + 1))
		continue
	fi
	rm -rf "$scratch/work"
	mkdir "$scratch/work"
	ln -s "$top/fixtures" "$scratch/work/fixtures"
	ln -s "$top/../shared/real" "$scratch/work/real"
	(cd "$scratch/work" && exec timeout -k 5 $limit sh "$case/cmd") \
		>"$scratch/stdout" 2>"$scratch/stderr" </dev/null
	status=$?
	if [ -n "$update" ]; then
		keep "$case"
		passed=$((passed + 1))
	elif compare "$case"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done

[ $skipped -eq 0 ] || echo "$skipped skipped" >&2
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
