#!/bin/sh
# Every fixture has its line in fixtures/README.md, and every line its fixture.
set -eu

in_folder=$(cd fixtures && find . -type f ! -name README.md | sed 's,^\./,,' | LC_ALL=C sort)
in_readme=$(sed -n 's/^| `\([^`]*\)` |.*/\1/p' fixtures/README.md | LC_ALL=C sort)
if [ "$in_folder" != "$in_readme" ]; then
	echo "fixtures/README.md does not list what is there:"
	printf '%s\n' "$in_folder" "$in_readme" | LC_ALL=C sort | uniq -u
	exit 1
fi
