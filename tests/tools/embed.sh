#!/bin/sh
# Write C that carries files inside the library: embed.sh FILE... > schemas.c
#                                          embed.sh --texts HEADER NAME=FILE... > texts.c
#
# Each FILE becomes a struct rt_schema of retriage.h, in byte order of their names; a name is the
# file's without its folder, .json and .schema. Any number of files will do, none included.
# With --texts each becomes `const char NAME[]` and `const size_t NAME_len`, as HEADER declares them.
# Of a NAME with a "_" at its end the FILE holds pieces, as html/page.html says, each of which becomes
# `const char NAMEpiece[]`.
set -eu
LC_ALL=C
export LC_ALL

# A file as the lines of a string; a question mark is escaped because of trigraphs.
literal() {
	sed -e 's/[\\"?]/\\&/g' -e 's/	/\\t/g' -e 's/^/"/' -e 's/$/\\n"/' "$1"
}

# The pieces of a file, with a name before theirs.
pieces() {
	awk -v name="$1" '
		/^<!--/ || /^$/ { next }
		/^@/ { printf "%s\nconst char %s%s[] =\n", end, name, substr($0, 2); end = ";\n"; next }
		{ sub(/^\t+/, ""); gsub(/["?]/, "\\\\&"); print "\"" $0 "\"" }
		END { print ";" }' "$2"
}

if [ "${1:-}" = --texts ]; then
	printf '/* Made by tests/tools/embed.sh. */\n#include "%s"\n' "$2"
	shift 2
	for pair; do
		case $pair in *_=*)
			pieces "${pair%%=*}" "${pair#*=}"
			continue
			;;
		esac
		printf '\nconst char %s[] =\n' "${pair%%=*}"
		literal "${pair#*=}"
		printf ';\nconst size_t %s_len = sizeof(%s) - 1;\n' "${pair%%=*}" "${pair%%=*}"
	done
	exit
fi

names=
for file; do
	name=${file##*/}
	name=${name%.json}
	names="$names ${name%.schema}:$file"
done
# shellcheck disable=SC2086 # a list of words
names=$(printf '%s\n' $names | sort -t : -k 1,1)

echo '/* Made by tests/tools/embed.sh; the texts are the files of schemas/. */'
echo '#include "retriage.h"'
i=0
for pair in $names; do
	printf '\nstatic const char text_%d[] =\n' "$i"
	literal "${pair#*:}"
	echo ';'
	i=$((i + 1))
done
printf '\nstatic const struct rt_schema schemas[] = {\n'
i=0
for pair in $names; do
	printf '\t{"%s", text_%d, sizeof(text_%d) - 1},\n' "${pair%%:*}" "$i" "$i"
	i=$((i + 1))
done
# An array may not be empty; the last element is never counted.
printf '\t{NULL, NULL, 0},\n};\n\n'
echo 'const struct rt_schema *rt_schemas(size_t *ret_count)'
printf '{\n\t*ret_count = sizeof(schemas) / sizeof(*schemas) - 1;\n\treturn schemas;\n}\n'
