#!/bin/sh
# The packages as people get them: `make check-deb` calls this, as root.
#
# They are built twice, and have to be the same bytes: once of this folder, once of the archive of
# the sources, under another umask, time zone and folder. In a bare Debian 12 they are installed,
# README's first recipe is run by an ordinary user, and they are removed without a trace; the steps
# of .ci/Containerfile are taken; and the archive of the sources is built. Each begins with the bare
# tree, by an overlay. The tree, and packages that apt-get has fetched, stay in BUILD/bare.
# Environment: BUILD (default build), MIRROR.
set -eu

cd "$(dirname "$0")/../.."
mkdir -p "${BUILD:-build}/bare"
bare=$(cd "${BUILD:-build}/bare" && pwd)
title=check-deb
. tests/deb/bare.sh
[ "${1:-}" = --apart ] || apart tests/deb/run.sh
version=$(sed -n 's/^#define RT_VERSION "\(.*\)"/\1/p' include/retriage.h)
source=retriage-$version

# What there is, but for what apt-get and dpkg write down of each run.
list() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/log -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path './var/lib/dpkg/*-old' \) -prune -o -printf '%p %y %m %U %G %l\n' |
		LC_ALL=C sort)
}

say 'building twice'
make --no-print-directory BUILD="$bare/one" deb
rm -rf "$bare/two" "$bare/source"
mkdir -p "$bare/source"
tar -xzf "$bare/one/$source.tar.gz" -C "$bare/source"
(umask 077 && TZ=Asia/Kathmandu make --no-print-directory -C "$bare/source/$source" BUILD="$bare/two" deb) >/dev/null
for file in "$bare/one"/*.deb "$bare/one/$source.tar.gz"; do
	cmp "$file" "$bare/two/${file##*/}" || fail "$file differs from what was built of $source.tar.gz"
done
for package in retriage libretriage0 libretriage-dev; do
	[ -e "$bare/one/${package}_${version}_$(dpkg --print-architecture).deb" ] || fail "no package $package"
done
lintian --allow-root --fail-on error "$bare/one"/*.deb

debian bookworm
say 'installing, running the recipe, removing'
root install "$bare/bookworm"
quietly root 'apt-get update; useradd --create-home --uid 1000 person'
list >"$bare/before"
cp "$bare/one"/*.deb "$root/tmp"
quietly root 'apt-get install -y --no-install-recommends ./retriage_*.deb'
mkdir "$root/tmp/logs" "$root/tmp/scan"
cp fixtures/good-sample.sarif "$root/tmp/logs/codeql.sarif"
cp fixtures/good-sample.sarif "$root/tmp/codeql.sarif"
cp fixtures/good-sample.json "$root/tmp/scan"
chown -R 1000:1000 "$root/tmp"
awk '/^## .*SARIF.* in sixty seconds/ { here = 1 } here && /^```$/ { exit } here && block { print }
	here && /^```sh/ { block = 1 }' README.md >"$root/tmp/recipe"
[ -s "$root/tmp/recipe" ] || fail 'README has no first recipe'
if inside root 'command -v cc || command -v gcc || command -v python3'; then
	fail 'the bare tree is not bare'
fi
quietly person 'sh -e ./recipe'
quietly person 'tar -czf all.tar.gz scan; retriage summary all.tar.gz; retriage --version'
grep '"total_issues"' "$bare/log" >/dev/null || fail 'no summary of an archive'
grep -A 9 '^retriage ' "$bare/log"
! grep 'not found' "$bare/log" || fail 'the package does not depend on all that it loads'
quietly root 'apt-get install -y --no-install-recommends ./lib*.deb'
quietly root 'apt-get purge -y retriage libretriage0 libretriage-dev; apt-get autoremove -y --purge'
list >"$bare/after"
diff "$bare/before" "$bare/after" || fail 'something is left'

say 'taking the steps of .ci/Containerfile'
word() {
	sed -n "s/^$1 //p" .ci/Containerfile
}
[ "$(word FROM)" = docker.io/library/debian:12-slim ] || fail 'the container is of another Debian'
root container "$bare/bookworm"
cp "$bare/one"/retriage_*.deb "$root/tmp"
quietly root "$(sed -n '/^RUN /,/[^\\]$/p' .ci/Containerfile | sed 's/^RUN //')"
mkdir -p "$root$(word WORKDIR)"
cp fixtures/good-sample.json "$root$(word WORKDIR)"
quietly "$(word USER)" "cd $(word WORKDIR); $(word ENTRYPOINT | tr -d '[]\",') summary ."
grep '"total_issues"' "$bare/log" >/dev/null || fail 'no summary in the container'

say "building $source.tar.gz"
if [ ! -e "$bare/tools.done" ]; then
	root tools "$bare/bookworm"
	mkdir "$root/tmp/.ci"
	cp .ci/deps "$root/tmp/.ci"
	quietly root 'apt-get update; apt-get install -y --no-install-recommends make; .ci/deps build'
	umount -R "$root"
	touch "$bare/tools.done"
fi
root source "$bare/tools/new" "$bare/bookworm"
cp "$bare/one/$source.tar.gz" "$root/tmp"
chown -R 1000:1000 "$root/tmp"
inside root 'command -v git' && fail 'there is git'
quietly 1000:1000 "tar -xzf $source.tar.gz; make -C $source -j$(nproc); $source/build/retriage --version"
say ok
