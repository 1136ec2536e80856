#!/bin/sh
# Install what a test suite has from the npm registry: npm.sh SUITE FOLDER WHAT [NPM-OPTION...]
#
# SUITE is a folder with package.json and package-lock.json; it goes into FOLDER/node_modules at the
# exact versions and digests of the lock file, and packages run no scripts of their own. What is
# there stays until the lock file changes, so that a second run needs no network. WHAT names it for
# the message when that fails; the exit status is 1 then.
set -eu

suite=$1
folder=$2
what=$3
shift 3
title=$(basename "$suite")

if cmp -s "$suite/package-lock.json" "$folder/installed"; then
	exit 0
fi
mkdir -p "$folder"
rm -f "$folder/installed"
cp "$suite/package.json" "$suite/package-lock.json" "$folder"
echo "$title: installing $(grep -c '"node_modules/' "$suite/package-lock.json") npm packages"
(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error "$@") || {
	echo "$title: npm could not install $what: the npm registry is needed" >&2
	exit 1
}
cp "$suite/package-lock.json" "$folder/installed"
