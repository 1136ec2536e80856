#!/bin/sh
# The contract test: schemas/openapi.json is checked by Spectral, and retriage serve is held to it by
# Stoplight Prism; `make check-contract` calls this.
#
# Both programs come from the npm registry at the exact versions and digests of package-lock.json,
# into BUILD/contract/node_modules; packages run no scripts of their own. What is there stays until
# the lock file changes, so that a second run needs no network. Without them nothing is tested, and
# the run fails. Environment: BUILD (default build), RETRIAGE (default BUILD/retriage), PYTHON.
set -eu

here=$(dirname "$0")
build=${BUILD:-build}
folder=$build/contract

if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
	mkdir -p "$folder"
	rm -f "$folder/installed"
	cp "$here/package.json" "$here/package-lock.json" "$folder"
	echo "contract: installing $(grep -c '"node_modules/' "$here/package-lock.json") npm packages"
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || {
		echo "contract: npm could not install Prism and Spectral: the npm registry is needed" >&2
		exit 1
	}
	cp "$here/package-lock.json" "$folder/installed"
fi
"$folder/node_modules/.bin/spectral" lint --fail-severity=warn --ruleset "$here/spectral.yaml" \
	schemas/openapi.json
"${PYTHON:-/usr/bin/python3}" "$here/contract.py" "$folder/node_modules"
