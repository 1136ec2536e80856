#!/bin/sh
# Write C that says which libraries are loaded by dlopen, by the names that the linker has found here,
# and what is called of each: late.sh FOLDER LIBRARY... > late.h
#
# A LIBRARY is named as for pkg-config. FOLDER gets a shared object for each, which does nothing but
# need it: a packager's tools see in it what they do not see in the program. Calls are named in src by
# RT_LATE(archive_...), RT_LATE(zip_...) and RT_MHD(...).
# Environment: CC, CFLAGS, LDFLAGS, PKG_CONFIG.
set -eu
folder=$1
shift
LC_ALL=C
export LC_ALL
mkdir -p "$folder"
# shellcheck disable=SC2086 # a compiler may be several words
readelf=$($CC -print-prog-name=readelf)

calls() {
	case $1 in
	libarchive) grep -rhoE 'RT_LATE\(archive_\w+\)' src ;;
	libzip) grep -rhoE 'RT_LATE\(zip_\w+\)' src ;;
	libmicrohttpd) grep -rhoE 'RT_MHD\([a-z]\w+\)' src/http | grep -vFx 'RT_MHD(name)' | sed 's/(/(MHD_/' ;;
	esac | sed 's/.*(\(.*\))/\1/' | sort -u
}

# package FILE: the package that a file belongs to, as far as this system knows
package() {
	file=$(readlink -f "$1") || return 0
	if command -v dpkg-query >/dev/null; then
		dpkg-query -S "*/${file##*/}"
	elif command -v rpm >/dev/null; then
		rpm -qf --qf '%{NAME}\n' "$file"
	elif command -v pacman >/dev/null; then
		pacman -Qqo "$file"
	fi 2>/dev/null | sed -n 's/^\([A-Za-z0-9][A-Za-z0-9.+_-]*\)\([:,].*\)\{0,1\}$/\1/p' | head -n 1
}

echo '/* Made by tests/tools/late.sh. */'
for library; do
	probe=$folder/$library.so
	# shellcheck disable=SC2046,SC2086 # lists of words
	calls "$library" | sed 's/.*/extern char &; char *p_& = \&&;/' |
		$CC ${CFLAGS:-} ${LDFLAGS:-} -x c -shared -fPIC -nostdlib -Wl,-z,defs -Wl,--as-needed -o "$probe" - \
			$("$PKG_CONFIG" --libs "$library") || {
		echo "late.sh: $library $("$PKG_CONFIG" --modversion "$library") has not all that is called of it" >&2
		exit 1
	}
	file=$("$readelf" -d "$probe" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	case $file in
	'' | *[!A-Za-z0-9._+-]*)
		echo "late.sh: want one shared object for $library, have: $file" >&2
		exit 1
		;;
	esac
	# shellcheck disable=SC2086 # a compiler may be several words
	owner=$(package "$($CC ${CFLAGS:-} -print-file-name="$file")")
	name=RT_LATE_$(echo "$library" | tr '[:lower:]' '[:upper:]')
	echo
	printf '#define %s_FILE "%s"\n' "$name" "$file"
	printf '#define %s_PACKAGE "%s"\n' "$name" "${owner:-$library}"
	printf '#define %s_VERSION "%s"\n' "$name" "$("$PKG_CONFIG" --modversion "$library")"
	printf '#define %s_CALLS %s\n' "$name" "$(calls "$library" | sed 's/.*/"&",/' | tr '\n' ' ')"
done
