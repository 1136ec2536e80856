#!/bin/sh
# Run fuzz targets: fuzz.sh TARGET...
#
# Each starts from the fixtures, tests/fuzz/corpus, and what it has found before, which is kept in
# FUZZ_CORPUS/NAME. How many inputs it has been given in all stands beside that: in NAME.runs those
# under sanitizers, in NAME.plain those without, in NAME.afl those of AFL++. An input that fails
# stays in BUILD, and its name is printed. Exit 1 when one failed; all are run before that.
#
# What is replayed goes all ways that a target knows, what is made one of them: tests/fuzz/turn.h.
# Inputs that are made have up to 4 KiB, which pass the small limits of most targets; those of
# archives and of HTTP heads, whose formats take more, up to 64 KiB and 20,000 bytes.
# Environment: BUILD; FUZZ_CORPUS; FUZZ_SECONDS, for which each runs, 0: only what it starts from;
# FUZZ_RUNS: if set, each goes on, FUZZ_SECONDS at a time, until it has been given so many inputs by
# all builds (a fifth for those that write archives); FUZZ_JOBS, how many run at once (default 1).
set -u

# total NAME KIND
total() {
	cat "$FUZZ_CORPUS/$1.$2" 2>/dev/null || echo 0
}

# Whether a target has had its FUZZ_RUNS.
is_done() {
	case $1 in
	fuzz_archive | fuzz_repack) wanted=$((FUZZ_RUNS / 5)) ;;
	*) wanted=$FUZZ_RUNS ;;
	esac
	[ $(($(total "$1" runs) + $(total "$1" plain) + $(total "$1" afl))) -ge "$wanted" ]
}

# words FILE...: the names in our tables, as a dictionary of strings of JSON, and bare.
words() {
	grep -hoE '"[A-Za-z_$-][A-Za-z0-9_$-]{1,30}"' "$@" | tr -d '"' | sort -u |
		sed 's/.*/"&"\n"\\"&\\""/'
}

# tokens TOKEN...: as they are.
tokens() {
	printf '"%s"\n' "$@"
}

# The dictionary of a target; the tables are those of the sources.
dictionary() {
	case $1 in
	fuzz_sarif) words src/sarif/*.c src/scan/member.c ;;
	fuzz_request) words src/engine/request*.c src/engine/finding.c ;;
	fuzz_journal) words src/journal/*.c src/engine/request*.c ;;
	fuzz_partial) words src/ops/partial.[ch] ;;
	fuzz_filter) words src/engine/filter_read.c src/engine/finding.c src/scan/member.c ;;
	fuzz_archive | fuzz_repack) ;;
	*) words src/scan/member.c src/engine/finding.c src/engine/summary.c ;;
	esac
	case $1 in
	fuzz_yaml*)
		tokens '- ' '? ' ': ' '&a ' '*a' '!!str ' '!!map ' '!<x> ' '|\x0a' '>-\x0a' '|2+\x0a' '<<: ' \
			'---\x0a' '...\x0a' '%YAML 1.1\x0a' '%TAG ! x\x0a' '\x0a' '\x0d\x0a' '\xc2\x85' \
			'\xe2\x80\xa8' '\xef\xbb\xbf' ' #' "''" '\x0a  ' '~' '.inf' '0x1F' '0o7' '1_0' '2001-01-01' ;;
	fuzz_filter)
		tokens '+' '-' '=' '~' '!=' '<' '>' '..' '**' ',' '\x0a' '\x0a\x0a' '(?i)' '(a|b)*' '\\d+' '[^a]' \
			'high..' '7d' '2026-01-31' ;;
	fuzz_archive | fuzz_repack)
		tokens 'PK\x03\x04' 'PK\x01\x02' 'PK\x05\x06' 'PK\x06\x06' 'PK\x07\x08' 'ustar\x0000' 'ustar  ' \
			'070701' '070707' 'TRAILER!!!' '7z\xbc\xaf\x27\x1c' '\x1f\x8b\x08' '\x28\xb5\x2f\xfd' \
			'\xfd7zXZ' 'BZh9' '\x04\x22\x4d\x18' ' path=' ' size=' 'GNU.sparse.major=1' 'a.json' ;;
	*) tokens '{' '}' '[' ']' ',' ':' 'null' 'true' 'false' '-0' '1e400' '\\u0000' '\\ud83d\\ude00' '\xef\xbb\xbf' ;;
	esac
}

# fuzz.sh --one TARGET: one of them once.
if [ "$1" = --one ]; then
	target=$2
	name=${target##*/}
	[ -z "${FUZZ_RUNS:-}" ] || ! is_done "$name" || exit 0
	corpus=$FUZZ_CORPUS/$name
	mkdir -p "$corpus"
	dictionary "$name" >"$BUILD/$name.dict"
	length=65536
	if [ "$FUZZ_SECONDS" -gt 0 ]; then
		export FUZZ_TURNS=one
		case $name in
		fuzz_archive | fuzz_repack) ;;
		*) length=4096 ;;
		esac
		set -- -max_total_time="$FUZZ_SECONDS" -dict="$BUILD/$name.dict"
	else
		set -- -runs=0
	fi
	"$target" "$@" -max_len="$length" -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$BUILD/$name-" "$corpus" fixtures tests/fuzz/corpus \
		>"$BUILD/$name.log" 2>&1
	status=$?
	given=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$BUILD/$name.log")
	kind=plain
	! grep -q 'sanitize=address' "$BUILD/flags" || kind=runs
	echo $(($(total "$name" "$kind") + ${given:-0})) >"$FUZZ_CORPUS/$name.$kind"
	echo "fuzz: $name: ${given:-0} inputs; in all $(total "$name" plain) without sanitizers," \
		"$(total "$name" runs) under them"
	[ "$status" -eq 0 ] && exit 0
	tail -n 40 "$BUILD/$name.log"
	echo "fuzz: $name FAILED"
	exit 1
fi

# Whether a target is to go on.
is_short() {
	for target; do
		is_done "${target##*/}" || return 0
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
