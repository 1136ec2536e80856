#!/bin/sh
# The HTML report in a browser: `make check-page` calls this.
#
# Chromium is Debian's. What drives it, and axe-core, which looks for what keeps people out, come
# from the npm registry at the exact versions and digests of package-lock.json, into
# BUILD/page/node_modules; packages run no scripts of their own. What is there stays until the lock
# file changes. Environment: BUILD (default build), RETRIAGE (default BUILD/retriage), PYTHON,
# CHROMIUM (default chromium).
set -eu

here=$(dirname "$0")
build=${BUILD:-build}
folder=$build/page

sh "$here/../tools/npm.sh" "$here" "$folder" 'puppeteer-core and axe-core'
"${PYTHON:-/usr/bin/python3}" "$here/pages.py" "$folder/pages"
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") node "$here/check.js" "$folder/node_modules" \
	"$folder/pages"
