#!/bin/sh
# README's two commands on the Debians of today: `make check-bare` calls this, as root.
#
# In a bare Debian 12 and in a bare Debian 13, with make and nothing else, `make demo` and `make check`
# run as root, and once more as an ordinary user with sudo; then packages are built there and installed
# in a bare tree, where all that they load is found. Takes half an hour. The trees stay in BUILD/bare.
# Environment: BUILD (default build), MIRROR, SUITES (default both).
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "${BUILD:-build}/bare"
bare=$(cd "${BUILD:-build}/bare" && pwd)
title=check-bare
. tests/deb/bare.sh
[ "${1:-}" = --apart ] || apart tests/deb/machines.sh
source=retriage-$(sed -n 's/^#define RT_VERSION "\(.*\)"/\1/p' include/retriage.h)
.ci/dist "$bare/$source.tar.gz"

# both USER: demo and check; how many passed is shown, and what failed
both() {
	cp "$bare/$source.tar.gz" "$root/tmp"
	say "$suite: make demo, make check as $1"
	quietly "$1" "tar -xzf $source.tar.gz; make -C $source demo"
	grep '"total_issues": 12' "$bare/log" >/dev/null || fail "$suite: demo shows no summary"
	inside "$1" "make -C $source check" >"$bare/$suite-$1.log" 2>&1 || {
		grep -A 200 -e '^FAIL' -e '[Ee]rror' "$bare/$suite-$1.log" | tail -n 400 >&2
		fail "$suite: make check fails as $1: $bare/$suite-$1.log"
	}
	grep '^[0-9]* passed, ' "$bare/$suite-$1.log" | tail -n 1
}

for suite in ${SUITES:-bookworm trixie}; do
	debian "$suite"
	root person "$bare/$suite"
	quietly root 'apt-get update; apt-get install -y --no-install-recommends make sudo
		useradd --create-home person; echo "person ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/person'
	both person

	root root "$bare/$suite"
	quietly root 'apt-get update; apt-get install -y --no-install-recommends make'
	both root
	say "$suite: make deb, and what it installs"
	quietly root "make -C $source deb"
	cp "$root/tmp/$source/build"/retriage_*.deb "$bare"
	root install "$bare/$suite"
	cp "$bare"/retriage_*.deb "$root/tmp"
	quietly root 'apt-get update; apt-get install -y --no-install-recommends ./retriage_*.deb; retriage --version'
	grep -A 9 '^retriage ' "$bare/log"
	! grep 'not found' "$bare/log" || fail "$suite: the package does not depend on all that it loads"
	rm "$bare"/retriage_*.deb
done
say ok
