#!/bin/sh
# Mixed load on the HTTP shim for a long time: soak.sh MINUTES; `make soak` calls this.
#
# First MINUTES against the build with AddressSanitizer, then a tenth of that, one minute at least,
# under valgrind's memcheck. What is loaded and what has to hold is in load.py. Both runs take place
# whatever the first said. Not part of `make check`. Environment: BUILD (default build; the other
# build is in BUILD/asan), PYTHON. Exit 0: no leak, no growth, flat latency, in both.
set -eu

here=$(dirname "$0")
build=${BUILD:-build}
python=${PYTHON:-/usr/bin/python3}
minutes=${1:-10}
status=0

short=$((minutes / 10 > 1 ? minutes / 10 : 1))
echo "soak: $minutes min with AddressSanitizer"
RETRIAGE=$build/asan/retriage "$python" "$here/load.py" "$minutes" || status=1
echo "soak: $short min under valgrind"
RETRIAGE=$build/retriage "$python" "$here/load.py" --valgrind "$short" || status=1
exit $status
