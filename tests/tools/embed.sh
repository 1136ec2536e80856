#!/bin/sh
# Write C that carries files inside the library: embed.sh FILE... > schemas.c
#
# Each FILE becomes a struct rt_schema of retriage.h, in byte order of their names; a name is the
# file's without its folder, .json and .schema. Any number of files will do, none included.
set -eu
LC_ALL=C
export LC_ALL

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
	# A question mark is escaped because of trigraphs.
	sed -e 's/[\\"?]/\\&/g' -e 's/	/\\t/g' -e 's/^/"/' -e 's/$/\\n"/' "${pair#*:}"
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
