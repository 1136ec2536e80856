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

if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
	mkdir -p "$folder"
	rm -f "$folder/installed"
	cp "$here/package.json" "$here/package-lock.json" "$folder"
	echo "page: installing $(grep -c '"node_modules/' "$here/package-lock.json") npm packages"
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || {
		echo "page: npm could not install puppeteer-core and axe-core: the npm registry is needed" >&2
		exit 1
	}
	cp "$here/package-lock.json" "$folder/installed"
fi
"${PYTHON:-/usr/bin/python3}" "$here/pages.py" "$folder/pages"
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") node "$here/check.js" "$folder/node_modules" \
	"$folder/pages"
