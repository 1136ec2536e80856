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

sh "$here/../tools/npm.sh" "$here" "$folder" 'Prism and Spectral'
"$folder/node_modules/.bin/spectral" lint --fail-severity=warn --ruleset "$here/spectral.yaml" \
	schemas/openapi.json
"${PYTHON:-/usr/bin/python3}" "$here/contract.py" "$folder/node_modules"
