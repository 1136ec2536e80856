#!/bin/sh
# Hold the folders of src/ to their order: a file includes only from its own folder or an earlier
# one. The command line knows include/retriage.h and itself, nothing else of the library. What make has
# written of this system, gen/late.h, is for all.
set -eu

status=0
for file in src/*/*.[ch] include/*.h; do
	awk -v file="$file" '
	BEGIN {
		n = split("base files source scan sarif formats engine journal rewrite output state ops http", order, " ")
		for (i = 1; i <= n; i++) rank[order[i]] = i
		split(file, part, "/")
		own = part[1] == "src" ? part[2] : "include"
		if (own != "cli" && own != "include" && !(own in rank))
			bad("folder " own " is in no layer")
	}
	function bad(what) { printf "%s:%d: %s\n", file, FNR, what; failed = 1 }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		name = quoted[2]
		if (name == "retriage.h" || name == "gen/late.h")
			next
		slash = index(name, "/")
		folder = slash ? substr(name, 1, slash - 1) : ""
		if (folder == own)
			next
		if (own == "cli" || own == "include" || !(folder in rank) || rank[folder] > rank[own])
			bad("must not include \"" name "\"")
	}
	END { exit failed }' "$file" || status=1
done
exit $status
