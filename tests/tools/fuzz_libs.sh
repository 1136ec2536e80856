#!/bin/sh
# Build libyaml, libarchive and PCRE2 from Debian's sources, for programs that are fuzzed, so that
# a fuzzer sees their branches and sanitizers their memory: fuzz_libs.sh
#
# The sources are those of the release that this runs on, got by apt into folders of their own: no
# right to change the machine's is needed. Those that are there are not asked for again. Output:
# libyaml.a, libarchive.a and libpcre2-8.a in BUILD/libs, and `built` when they are all there.
# Environment: BUILD; CC; CFLAGS; JOBS.
# shellcheck disable=SC2086  # lists of words
set -eu

libs=$(mkdir -p "$BUILD/libs" && cd "$BUILD/libs" && pwd)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
own="-o Dir::Etc::SourceList=$libs/apt/sources.list -o Dir::Etc::SourceParts=-"
own="$own -o Dir::State::Lists=$libs/apt/lists -o APT::Sandbox::User="

# fail WHAT: with the last lines of the log.
fail() {
	tail -n 5 "$libs/log" >&2
	echo "fuzz_libs.sh: $1" >&2
	exit 1
}

# find_archives: the archives of Debian that apt has packages from, as sources, and their lists.
find_archives() {
	mkdir -p "$libs/apt/lists/partial"
	# shellcheck disable=SC2016  # apt's names, not the shell's
	apt-get indextargets 'Created-By: Packages' 'Label: Debian' \
		--format "deb-src [signed-by=$keys] "'$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		>"$libs/apt/sources.list"
	[ -s "$libs/apt/sources.list" ] && apt-get $own update
}

# get NAME: the sources of Debian's package, as libs/NAME.
get() {
	[ ! -d "$libs/$1" ] || return 0
	(
		cd "$libs"
		apt-get $own source --download-only "$1" && rm -rf "$1.new" &&
			dpkg-source --no-check -x "$1"_*.dsc "$1.new" && mv "$1.new" "$1"
	) >>"$libs/log" 2>&1 || fail "no sources of $1"
}

# sources FOLDER PATTERN [REGEX]: names of its files, but for those that REGEX has.
sources() {
	(cd "$libs/$1" && ls $2) | grep -vE "${3:-^$}"
}

# build NAME FOLDER FLAG...: an archive of the sources in it whose names are on standard input.
build() {
	name=$1
	cd "$libs/$2"
	shift 2
	echo "  CC  $BUILD/libs/$name.a"
	rm -f ./*.o
	xargs -P "${JOBS:-1}" -n 4 "$CC" $CFLAGS -fPIC -w -c "$@"
	ar rcs "$libs/$name.a" ./*.o
}

[ -d "$libs/libarchive" ] || find_archives >"$libs/log" 2>&1 || fail 'no archive of Debian that apt has'
get libyaml
get pcre2
get libarchive

sources libyaml 'src/*.c' |
	build libyaml libyaml -Iinclude -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 \
		-DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING='"0.2.5"'

cd "$libs/pcre2/src"
cp config.h.generic config.h
cp pcre2.h.generic pcre2.h
cp pcre2_chartables.c.dist pcre2_chartables.c
sources pcre2 'src/pcre2_*.c' 'dftables|jit_[mt]|printint|ucptables|fuzzsupport' |
	build libpcre2-8 pcre2 -Isrc -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE

# Without what .ci/deps does not install: it would have to be linked where it happens to be there.
cd "$libs/libarchive"
[ -f config.h ] || CC=$CC ./configure --disable-shared --without-xml2 --without-expat \
	--without-zstd --without-nettle --without-openssl --without-iconv --disable-acl --disable-xattr \
	>>"$libs/log" 2>&1 || fail 'libarchive does not find what it needs'
sources libarchive 'libarchive/*.c' |
	build libarchive libarchive -I. -Ilibarchive -DHAVE_CONFIG_H
touch "$libs/built"
