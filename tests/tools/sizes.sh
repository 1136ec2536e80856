#!/bin/sh
# Ceilings of the house style: a function has at most 60 lines between its braces, a file 1,000.
set -eu

status=0
for file in src/*/*.[ch] include/*.h tests/*/*.[ch] tests/unit/*/*.c; do
	awk -v file="$file" '
	/^\{/ { start = FNR }
	/^\}/ && start {
		lines = FNR - start - 1
		if (lines > 60) {
			printf "%s:%d: function of %d lines, the ceiling is 60\n", file, start, lines
			failed = 1
		}
		start = 0
	}
	END {
		if (FNR > 1000) {
			printf "%s: %d lines, the ceiling is 1,000\n", file, FNR
			failed = 1
		}
		exit failed
	}' "$file" || status=1
done
exit $status
