#!/bin/sh
# Everything that can be said about the sources without running them. All steps run; exit 1 when
# one of them found something. Environment, set by make: BUILD, CLANG, PYTHON, CPPFLAGS, the flags
# AVX2 of the files for one processor, X86_ONLY (files to leave out elsewhere).
# shellcheck disable=SC2317 # functions are called through step
set -u

status=0
jobs=$(nproc)
sources=$(ls src/*/*.c)
headers=$(ls src/*/*.h include/*.h)
flags="-std=c11 $CPPFLAGS"
warn="-Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
	-Wwrite-strings -Wformat=2 -Wundef -Wconversion -Werror"
mkdir -p "$BUILD/analyzer"

step() {
	title=$1
	shift
	if "$@" >"$BUILD/step.log" 2>&1; then
		echo "lint: $title: ok"
	else
		status=1
		echo "lint: $title: FAILED"
		cat "$BUILD/step.log"
	fi
}

# each SCRIPT: run SCRIPT with $file and $flags set to each source and its flags, a few at a time.
each() {
	for file in $sources; do
		case " $X86_ONLY " in
		*" $file "*) continue ;;
		esac
		case $file in
		*scan_avx2.c) printf '%s|%s\n' "$file" "$flags $AVX2" ;;
		*) printf '%s|%s\n' "$file" "$flags" ;;
		esac
	done | xargs -P "$jobs" -I LINE sh -c "line='LINE'; file=\${line%%|*}; flags=\${line#*|}; $1"
}

format() {
	# shellcheck disable=SC2046 # a list of files
	clang-format --dry-run -Werror $(ls src/*/*.[ch] src/*/*.inc include/*.h tests/*/*.[ch] tests/unit/*/*.c)
}

headers_alone() {
	for header in $headers; do
		for compiler in gcc "$CLANG"; do
			echo "$compiler ${header#*/}"
		done
	done | xargs -P "$jobs" -L 1 sh -c "printf '#include \"%s\"\n' \"\$1\" | \
		\$0 $(echo $flags $warn) -Wno-unused -fsyntax-only -x c -"
}

# clang's analyzer follows 225,000 nodes of a function's paths by default; fewer than half of them
# take half the time.
tidy() {
	each 'clang-tidy --quiet "$file" -- $flags -Wno-unknown-warning-option \
		-Xclang -analyzer-config -Xclang max-nodes=100000'
}

# gcc 12 loses sight of memory that changes hands through a struct and calls it a leak; leaks are
# LeakSanitizer's work, in check-asan.
analyzer() {
	each "gcc -O2 -fanalyzer -Wno-analyzer-malloc-leak -Werror \$flags -c -o $BUILD/analyzer/\$(basename \$file).o \$file"
}

static_check() {
	cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
		--inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
		--suppress=constStatement -j "$jobs" \
		-Isrc -Iinclude -D_GNU_SOURCE -D__x86_64__ src include
}

scripts() {
	# shellcheck disable=SC2046 # a list of files
	shellcheck -S warning -s sh .ci/run .ci/deps .ci/deb .ci/dist $(ls tests/*/*.sh)
}

manual() {
	groff -mandoc -Tutf8 -ww src/cli/retriage.1 >"$BUILD/manual.txt" 2>"$BUILD/manual.err"
	cat "$BUILD/manual.err"
	[ ! -s "$BUILD/manual.err" ]
}

# Words of our own that people should not have to learn: in messages, help, manual and README.
words() {
	private='jails?|attendants?|stands?|is let in|whoever|at hand|none that|told'
	! {
		cut -f 2 tests/cli/messages/table
		cat tests/cli/help*/stdout src/cli/topics.c src/cli/retriage.1 README.md
	} | grep -nwE "$private"
}

python_syntax() {
	for script in tests/*/*.py; do
		[ ! -f "$script" ] || "$PYTHON" -c 'import ast, sys
ast.parse(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1])' "$script" || return 1
	done
}

step format format
step layers sh tests/tools/layers.sh
step sizes sh tests/tools/sizes.sh
step 'fixtures listed' sh tests/tools/fixtures.sh
step 'headers alone' headers_alone
step scripts scripts
step python python_syntax
step manual manual
step words words
step cppcheck static_check
step 'gcc -fanalyzer' analyzer
step clang-tidy tidy
exit $status
