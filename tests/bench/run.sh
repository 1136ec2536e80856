#!/bin/sh
# Measures retriage against its peers on generated exports; `make bench` calls it.
#
# Input, from the environment: BUILD (the build folder, default build), CC, CXX, PYTHON,
# BENCH_CPU (the CPU to pin to), BENCH_ROUNDS (default 5), BENCH_LARGE=1 (1,000,000 issues as
# well, 2.2 GB), BENCH_STRICT=1 (a missed goal is a failure). Output: ratios and, for each goal,
# ok or MISSED.
# Fails when something cannot be built, when a program fails, or when two answers differ.
set -eu
export LC_ALL=C

here=$(dirname "$0")
build=${BUILD:-build}
bin=$build/bench
data=$build/bench/data
out=$build/bench/answers
retriage=$build/retriage
rounds=${BENCH_ROUNDS:-5}
cpu=${BENCH_CPU:-$(($(nproc) - 1))}
python=${PYTHON:-/usr/bin/python3}
missed=0

warnings='-Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wwrite-strings -Wformat=2 -Wundef'

# Whether file $1 exists and is newer than file $2.
newer() {
	[ -n "$(find "$1" -newer "$2" 2>/dev/null)" ]
}

# Build NAME from C sources, when one of them is newer. $1: name; $2: libraries; rest: sources.
build_c() {
	name=$1 libraries=$2
	shift 2
	fresh=1
	for source in "$@"; do
		newer "$bin/$name" "$here/$source" || fresh=0
	done
	[ $fresh = 1 ] && return
	sources=
	for source in "$@"; do sources="$sources $here/$source"; done
	# Lists of words, on purpose without quotes.
	# shellcheck disable=SC2086
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 $warnings -o "$bin/$name" $sources $libraries
}

# Whether retriage is there and was built with its HTTP shim.
has_shim() {
	[ -x "$retriage" ] && "$retriage" serve --help >/dev/null 2>&1
}

build_all() {
	build_c gen '' gen.c gen_text.c gen_record.c gen_emit.c
	build_c gen_sarif '' gen_sarif.c gen_text.c gen_emit.c
	build_c paired '' paired.c
	build_c peer_jansson -ljansson peer_jansson.c
	build_c drain_archive -larchive drain_archive.c
	build_c drain_yaml -lyaml drain_yaml.c
	build_c sync_rate '' sync_rate.c
	build_c bare_kernel.so '-shared -fPIC' bare_kernel.c
	build_c its_kernel.so '-shared -fPIC -DAS_IT_IS' bare_kernel.c
	if has_shim; then build_c bare_mhd -lmicrohttpd bare_mhd.c; fi
	for peer in peer_simdjson peer_levels; do
		newer "$bin/$peer" "$here/$peer.cpp" && continue
		${CXX:-c++} -std=c++17 -O3 -march=native -Wall -Wextra -o "$bin/$peer" \
			"$here/$peer.cpp" -lsimdjson
	done
}

# Make data file $2 by generator $1 with the options in the rest, when the generator is newer.
make_data() {
	generator=$bin/$1 file=$2
	shift 2
	newer "$data/$file" "$generator" && return
	echo "making $file"
	"$generator" "$@" >"$data/$file.new"
	mv "$data/$file.new" "$data/$file"
}

make_all_data() {
	make_data gen 10.json --issues 10
	make_data gen 10k.json --issues 10000
	make_data gen 100k.json --issues 100000
	make_data gen 100k-shuffled.json --issues 100000 --shuffle --drop
	make_data gen 100k-pretty.json --issues 100000 --indent 4
	make_data gen 400k-lean.json --issues 400000 --compact --lean
	make_data gen 10k.yaml --issues 10000 --form yaml
	if [ "${BENCH_LARGE:-0}" = 1 ]; then make_data gen 1000k.json --issues 1000000; fi
	make_data gen_sarif 100k.sarif --results 100000
	make_data gen_sarif 100k-last.sarif --results 100000 --rules-last
	make_data gen_sarif 100k-results.jsonl --results 100000 --as-export
	if ! newer "$data/100k.json.zst" "$data/100k.json"; then
		zstd -q -f "$data/100k.json" -o "$data/100k.json.zst"
	fi
	if ! newer "$data/100k.zip" "$data/100k.json"; then
		gzip -c "$data/100k.json" >"$data/100k.json.gz"
		tar -C "$data" -czf "$data/100k.tar.gz" 100k.json
		rm -f "$data/100k.zip"
		(cd "$data" && "$python" -m zipfile -c 100k.zip 100k.json)
	fi
}

# Make folders of 200 files, as JSON Lines and compressed.
make_folders() {
	newer "$data/200" "$bin/gen" && return
	echo "making 200 and 200.gz"
	rm -rf "$data/200" "$data/200.gz"
	mkdir "$data/200" "$data/200.gz"
	"$bin/gen" --issues 100000 --form lines |
		split -l 500 -a 3 -d --additional-suffix=.jsonl - "$data/200/"
	for file in "$data/200"/*; do
		gzip -c "$file" >"$data/200.gz/${file##*/}.gz"
	done
}

# Make a file of requests $1 for 100k.json: $2 requests of $3 ids.
make_requests() {
	newer "$data/$1" "$data/100k.json" && newer "$data/$1" "$here/requests.py" && return
	echo "making $1"
	"$python" "$here/requests.py" "$data/100k.json" "$2" "$3" >"$data/$1.new"
	mv "$data/$1.new" "$data/$1"
}

make_all_requests() {
	make_requests update-1x100.jsonl 1 100
	make_requests update-1000x100.jsonl 1000 100
	make_requests update-100000x1.jsonl 100000 1
}

# All programs give one answer for data file $1, and it does not depend on the form.
compare_answers() {
	"$bin/peer_simdjson" "$data/$1" >"$out/simdjson"
	"$bin/peer_jansson" "$data/$1" >"$out/jansson"
	jq -c -f "$here/jq_summary.jq" "$data/$1" >"$out/jq"
	set -- "$1" "$out/simdjson" "$out/jansson" "$out/jq"
	if [ -x "$retriage" ]; then
		"$retriage" summary "$data/$1" >"$out/retriage"
		set -- "$@" "$out/retriage"
	fi
	file=$1
	shift
	"$python" "$here/same_answer.py" "$@"
	echo "answers agree on $file: $# programs"
}

compare_forms() {
	[ -x "$retriage" ] || return 0
	"$retriage" summary "$data/100k.json" >"$out/plain"
	for form in 100k.json.zst 100k.json.gz 100k.tar.gz 100k.zip 200 200.gz; do
		"$retriage" summary "$data/$form" >"$out/packed"
		cmp "$out/plain" "$out/packed"
	done
	"$retriage" summary "$data/10k.json" >"$out/plain"
	"$retriage" summary "$data/10k.yaml" >"$out/yaml"
	cmp "$out/plain" "$out/yaml"
	echo "answers agree on JSON, .zst, .gz, .tar.gz, .zip, folders and YAML"
}

# The levels of data file $1, a log: those that retriage counts are severities of the same numbers.
compare_levels() {
	"$bin/peer_levels" "$data/$1" >"$out/simdjson"
	jq -c -f "$here/jq_levels.jq" "$data/$1" >"$out/jq"
	cmp "$out/simdjson" "$out/jq"
	[ -x "$retriage" ] || return 0
	"$retriage" summary "$data/$1" | jq -c '.issues_by_severity |
		{error: .high, warning: .medium, note: .low, none: .info}' >"$out/retriage"
	cmp "$out/simdjson" "$out/retriage"
	echo "answers agree on $1: 3 programs"
}

# Times commands in turn; results for people on standard output, raw lines in $out/times.
# $1: title; rest: options and commands for paired.
measure() {
	echo
	echo "$1"
	shift
	"$bin/paired" "$@" >"$out/times"
	awk '
		$1 == "time" {
			printf "  %-14s %8.1f ms  (%.1f .. %.1f; user %.1f, system %.1f)  peak %.1f MiB\n",
				$2, $4, $3, $5, $6, $7, $8 / 1024
		}
		$1 == "busy" && $2 > 0.1 {
			printf "  other programs kept %.1f CPUs busy meanwhile\n", $2
		}
		$1 == "ratio" { printf "  %s / %s: %.3f  (%.3f .. %.3f)\n", $2, $3, $5, $4, $6 }
	' "$out/times"
}

# The middle ratio of the last measurement to peer $1.
ratio_to() {
	awk -v peer="$1" '$1 == "ratio" && $3 == peer { print $5 }' "$out/times"
}

# The peak memory, in KiB, of command $1 in the last measurement.
peak_of() {
	awk -v name="$1" '$1 == "time" && $2 == name { print $8 }' "$out/times"
}

# $1: what the goal is; $2: what was measured; $3: the most it may be.
goal() {
	if awk -v have="$2" -v want="$3" 'BEGIN { exit !(have <= want) }'; then
		echo "  ok      $1: want at most $3, have $2"
	else
		echo "  MISSED  $1: want at most $3, have $2"
		missed=$((missed + 1))
	fi
}

# $1: what the goal is; $2: what was measured; $3: the least it may be.
goal_least() {
	if awk -v have="$2" -v want="$3" 'BEGIN { exit !(have >= want) }'; then
		echo "  ok      $1: want at least $3, have $2"
	else
		echo "  MISSED  $1: want at least $3, have $2"
		missed=$((missed + 1))
	fi
}

# $1: title; $2: command whose memory counts; $3: issues.
goal_memory() {
	goal "$1, KiB" "$(peak_of "$2")" $((32 * 1024 + 24 * $3 / 1024))
}

measure_peers() {
	measure "100,000 issues, one CPU, peers only" -c "$cpu" -n "$rounds" \
		simdjson "$bin/peer_simdjson" "$data/100k.json" -- \
		jansson "$bin/peer_jansson" "$data/100k.json"
	measure "100,000 issues, jq" -c "$cpu" -n 3 jq jq -c -f "$here/jq_summary.jq" "$data/100k.json"
	measure "floors" -c "$cpu" -n "$rounds" drain_archive "$bin/drain_archive" \
		"$data/100k.json.zst" -- drain_yaml "$bin/drain_yaml" "$data/10k.yaml"
}

# $1: title; $2: data file; $3: issues; $4 and $5: goals by one CPU and by all of them, which are as
# many threads.
measure_file() {
	measure "$1, one CPU" -c "$cpu" -n "$rounds" retriage "$retriage" summary "$data/$2" -- \
		simdjson "$bin/peer_simdjson" "$data/$2"
	goal "time of simdjson on-demand" "$(ratio_to simdjson)" "$4"
	goal_memory "memory" retriage "$3"
	measure "$1, all CPUs" -n "$rounds" retriage "$retriage" summary "$data/$2" -- \
		simdjson "$bin/peer_simdjson" "$data/$2"
	goal "time of simdjson on-demand" "$(ratio_to simdjson)" "$5"
	goal_memory "memory" retriage "$3"
}

measure_plain() {
	measure_file "100,000 issues, one array" 100k.json 100000 0.4 0.22
	measure_file "the same, members shuffled and some missing" 100k-shuffled.json 100000 0.6 0.35
	measure_file "the same, four blanks a level" 100k-pretty.json 100000 0.45 0.25
	measure_file "400,000 issues of 180 bytes" 400k-lean.json 400000 0.85 0.5
	measure "100,000 issues, slower peers" -c "$cpu" -n 3 -w 0 \
		retriage "$retriage" summary "$data/100k.json" -- \
		jq jq -c -f "$here/jq_summary.jq" "$data/100k.json" -- \
		jansson "$bin/peer_jansson" "$data/100k.json"
	goal "1/30 of the time of jq" "$(ratio_to jq)" 0.0333
}

# $1 and $2: names of data files, the second with a tenth of the first's issues.
measure_growth() {
	measure "ten times the data" -c "$cpu" -n $((rounds + 4)) \
		"$1" "$retriage" summary "$data/$1.json" -- "$2" "$retriage" summary "$data/$2.json"
	goal "time for ten times the data" "$(ratio_to "$2")" 10.5
}

# Two processes overlap here, so nothing is pinned, and two idle CPUs are needed.
measure_forms() {
	measure "100,000 issues, .zst" -n "$rounds" retriage "$retriage" summary \
		"$data/100k.json.zst" -- drain_archive "$bin/drain_archive" "$data/100k.json.zst"
	goal "time of libarchive alone" "$(ratio_to drain_archive)" 1.3
	goal_memory "memory for .zst" retriage 100000
	for form in json.gz tar.gz zip; do
		measure "100,000 issues, .${form#json.}" -n "$rounds" retriage "$retriage" summary \
			"$data/100k.$form" -- drain_archive "$bin/drain_archive" "$data/100k.$form"
		case $form in zip) most=1.2 ;; *) most=0.9 ;; esac
		goal "time of libarchive alone" "$(ratio_to drain_archive)" $most
		goal_memory "memory for .${form#json.}" retriage 100000
	done
	measure "10,000 issues, YAML" -n "$rounds" retriage "$retriage" summary "$data/10k.yaml" -- \
		drain_yaml "$bin/drain_yaml" "$data/10k.yaml"
	goal "time of libyaml alone" "$(ratio_to drain_yaml)" 1.6
	goal_memory "memory for YAML" retriage 10000
}

# Many files have one reader.
measure_folders() {
	measure "100,000 issues in 200 files" -n "$rounds" folder "$retriage" summary "$data/200" -- \
		file "$retriage" summary -j 1 "$data/100k.json"
	goal_memory "memory for 200 files" folder 100000
	measure "the same, each compressed" -n "$rounds" \
		folder "$retriage" summary "$data/200.gz" -- \
		file "$retriage" summary "$data/100k.json.gz"
	goal_memory "memory for 200 compressed files" folder 100000
}

# 72 bytes a result are kept, three times those of an export. The same results as members that nothing
# is made of are what one reading of the bytes takes: a log is read twice, and where its rules are last
# three times.
measure_logs() {
	measure "a SARIF log of 100,000 results" -c "$cpu" -n "$rounds" \
		retriage "$retriage" summary "$data/100k.sarif" -- \
		once "$retriage" summary "$data/100k-results.jsonl" -- \
		simdjson "$bin/peer_levels" "$data/100k.sarif"
	goal "time of simdjson counting its levels" "$(ratio_to simdjson)" 2.2
	goal_memory "memory for a log" retriage 300000
	measure "the same, rules after the results" -c "$cpu" -n "$rounds" \
		last "$retriage" summary "$data/100k-last.sarif" -- \
		once "$retriage" summary "$data/100k-results.jsonl"
	goal_memory "memory for a log" last 300000
	measure "the same, levels alone by jq" -c "$cpu" -n 3 -w 0 \
		retriage "$retriage" summary "$data/100k.sarif" -- \
		jq jq -c -f "$here/jq_levels.jq" "$data/100k.sarif"
	goal "1/5 of the time of jq" "$(ratio_to jq)" 0.2
}

# What is picked is held in a file without a name until the whole input has been checked.
measure_list() {
	measure "lists of 100,000 issues, one CPU" -c "$cpu" -n "$rounds" \
		csv "$retriage" list --quiet --where severity=critical --as csv "$data/100k.json" -- \
		high "$retriage" list --quiet --where severity=high.. --as csv "$data/100k.json" -- \
		regex "$retriage" list --quiet --where 'title~(?i)sql|token' --as ids \
		"$data/100k.json" -- \
		table "$retriage" list --where severity=high.. --as table "$data/100k.json" -- \
		summary "$retriage" summary "$data/100k.json"
	goal "time of summary" "$(ratio_to summary)" 1.2
	goal_memory "memory of a list" csv 100000
}

measure_gate() {
	measure "a gate on 100,000 issues, one CPU" -c "$cpu" -n "$rounds" \
		gate "$retriage" gate --max critical=100000 "$data/100k.json" -- \
		summary "$retriage" summary "$data/100k.json"
	goal "time of summary" "$(ratio_to summary)" 2
	measure "the same, all CPUs" -n "$rounds" \
		gate "$retriage" gate --max critical=100000 "$data/100k.json" -- \
		summary "$retriage" summary "$data/100k.json"
	goal "time of summary" "$(ratio_to summary)" 2
	goal_memory "memory of a gate" gate 100000
}

# The middle time, in milliseconds, of command $1 in the last measurement.
time_of() {
	awk -v name="$1" '$1 == "time" && $2 == name { print $4 }' "$out/times"
}

# Summaries that others are held against from here on are one reader's, as those others have one.
# Files are written here, so nothing is pinned: the system writes them back on another CPU. What is
# updated is on disk, and what is copied is not: a copy that is flushed stands beside it.
measure_updates() {
	export SOURCE_DATE_EPOCH=1795219200
	measure "100 ids on 100,000 issues, written anew" -n "$rounds" \
		apply "$retriage" apply -o "$out/updated" "$data/100k.json" \
		"$data/update-1x100.jsonl" -- cp cp "$data/100k.json" "$out/copied" -- \
		flushed sh -c 'cp "$0" "$1" && sync "$1"' "$data/100k.json" "$out/flushed"
	goal "time of cp" "$(ratio_to cp)" 1.3
	goal "memory of a bulk update, KiB" "$(peak_of apply)" 65536
	measure "the same by jq" -n 1 -w 0 apply "$retriage" apply -o "$out/updated" \
		"$data/100k.json" "$data/update-1x100.jsonl" -- jq sh -c 'exec jq -c "$@" >"$0"' \
		"$out/updated-jq" --slurpfile requests "$data/update-1x100.jsonl" \
		-f "$here/jq_apply.jq" "$data/100k.json"
	measure "1,000 requests of 100 ids" -n "$rounds" \
		apply "$retriage" apply -o "$out/updated" "$data/100k.json" \
		"$data/update-1000x100.jsonl" -- summary "$retriage" summary -j 1 "$data/100k.json"
	goal "time of summary" "$(ratio_to summary)" 9
	measure_verify
	rm -f "$out/updated" "$out/updated-jq" "$out/copied" "$out/flushed" "$out/journal" "$out/journal.lock"
}

# Files are written and flushed here, too.
measure_reports() {
	measure "100,000 issues as HTML, CSV and JUnit" -n "$rounds" \
		report "$retriage" report --quiet --to "html=$out/report.html" \
		--to "csv=$out/report.csv" --to "junit=$out/report.xml" "$data/100k.json" -- \
		summary "$retriage" summary -j 1 "$data/100k.json"
	goal "time of summary" "$(ratio_to summary)" 10
	goal "memory of reports, KiB" "$(peak_of report)" $((64 * 1024 + 64 * 100000 / 1024))
	rm -f "$out/report.html" "$out/report.csv" "$out/report.xml"
}

measure_verify() {
	rm -f "$out/journal"
	"$retriage" apply --journal "$out/journal" "$data/100k.json" \
		"$data/update-100000x1.jsonl" >"$out/results"
	rm -f "$out/results"
	measure "verification of 100,000 entries" -n "$rounds" \
		verify "$retriage" verify "$out/journal" "$data/100k.json" -- \
		summary "$retriage" summary -j 1 "$data/100k.json" -- \
		openssl openssl dgst -sha256 "$data/100k.json" -- sha256sum sha256sum "$data/100k.json"
	for peer in sha256sum openssl; do
		both=$(echo "$(time_of verify) $(time_of summary) $(time_of $peer)" |
			awk '{ printf "%.3f", $1 / ($2 + $3) }')
		goal "time of summary and SHA-256 by $peer" "$both" 3
	done
	goal "memory of a verification, KiB" "$(peak_of verify)" $((128 * 1024))
}

# Serve data file $1 with a fresh journal on a free port: sets shim and shim_port.
start_shim() {
	rm -f "$out/journal" "$out/shim.log"
	# A key for this run on this machine alone.
	export RETRIAGE_API_KEY=benchmark-key-of-no-value
	"$retriage" serve --listen 127.0.0.1:0 --journal "$out/journal" "$data/$1" \
		>"$out/shim.log" 2>&1 </dev/null &
	shim=$!
	shim_port=
	for _ in $(seq 600); do
		shim_port=$(sed -n 's,.*ready on http://127\.0\.0\.1:\([0-9]*\).*,\1,p' "$out/shim.log")
		[ -z "$shim_port" ] || return 0
		kill -0 $shim 2>/dev/null || break
		sleep 0.1
	done
	cat "$out/shim.log" >&2
	return 1
}

# The server ends well, and the journal that it leaves, if there were updates, is whole.
stop_shim() {
	kill -TERM $shim
	wait $shim
	if [ -f "$out/journal" ]; then "$retriage" log --head "$out/journal" >"$out/head"; fi
	rm -f "$out/journal" "$out/journal.lock" "$out/shim.log" "$out/head"
}

# Load port $1 for 5 seconds from 32 connections, with the options of wrk in the rest; prints the
# requests a second. Anything but success is a failure.
load() {
	port=$1 path=$2
	shift 2
	wrk -c 32 -t 1 -d 5s "$@" "http://127.0.0.1:$port$path" >"$out/wrk"
	if grep -q -e 'Non-2xx' -e 'Socket errors' "$out/wrk"; then
		cat "$out/wrk" >&2
		return 1
	fi
	sed -n 's/^Requests\/sec: *//p' "$out/wrk"
}

# Numbers on lines: the middle one.
middle() {
	sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# wrk and the server share the machine's CPUs, and so nothing is pinned.
measure_shim_reading() {
	start_shim 100k.json
	"$retriage" summary --compact "$data/100k.json" >"$out/body"
	# Its standard input is a pipe that ends with this shell's descriptor 9.
	rm -f "$out/bare.in"
	mkfifo "$out/bare.in"
	"$bin/bare_mhd" "$out/body" <"$out/bare.in" >"$out/bare.port" &
	bare=$!
	exec 9>"$out/bare.in"
	while [ ! -s "$out/bare.port" ]; do sleep 0.1; done
	rm -f "$out/shim.rates" "$out/bare.rates"
	for _ in 1 2 3; do
		load "$shim_port" /api/issues/summary -H "X-API-Key: $RETRIAGE_API_KEY" \
			>>"$out/shim.rates"
		load "$(cat "$out/bare.port")" /api/issues/summary \
			-H "X-API-Key: $RETRIAGE_API_KEY" >>"$out/bare.rates"
	done
	exec 9>&-
	wait $bare
	rates=$(middle <"$out/shim.rates")/$(middle <"$out/bare.rates")
	echo "  GET /api/issues/summary, $(wc -c <"$out/body") bytes: shim/bare $rates a second"
	goal_least "rate of a bare libmicrohttpd" \
		"$(echo "$rates" | awk -F/ '{ printf "%.3f", $1 / $2 }')" 0.6
	stop_shim
	rm -f "$out/bare.in" "$out/bare.port" "$out/body"
}

# $1: data file.
measure_shim_updates() {
	sed -n 's/^ *"id": "\([0-9a-f-]\{36\}\)",$/\1/p' "$data/$1" >"$out/ids"
	export BENCH_IDS="$out/ids"
	start_shim "$1"
	rm -f "$out/shim.rates" "$out/sync.rates"
	for _ in 1 2 3; do
		"$bin/sync_rate" "$out" 5 >>"$out/sync.rates"
		load "$shim_port" /api/issues/bulk -s "$here/update.lua" >>"$out/shim.rates"
	done
	rates=$(middle <"$out/shim.rates")/$(middle <"$out/sync.rates")
	echo "  PATCH /api/issues/bulk from 32 clients: updates/lone flushes $rates a second"
	goal_least "rate of a lone fdatasync" \
		"$(echo "$rates" | awk -F/ '{ printf "%.3f", $1 / $2 }')" 0.8
}

# $1: issues served.
goal_shim_memory() {
	echo "  memory: $(grep -E '^(VmHWM|RssAnon|RssFile)' "/proc/$shim/status" | tr -s '\t\n ' ' ')"
	goal "peak memory of the shim with $1 issues, KiB" \
		"$(awk '/^VmHWM/ { print $2 }' "/proc/$shim/status")" $((64 * 1024 + 64 * $1 / 1024))
}

measure_shim() {
	if ! has_shim; then
		echo "no HTTP shim in $retriage: it is not measured"
		return 0
	fi
	echo
	echo "the HTTP shim with 100,000 issues, wrk on loopback, 3 times 5 s each"
	measure_shim_reading
	measure_shim_updates 100k.json
	goal_shim_memory 100000
	stop_shim
	[ "${BENCH_LARGE:-0}" = 1 ] || return 0
	echo
	echo "the HTTP shim with 1,000,000 issues"
	measure_shim_updates 1000k.json
	goal_shim_memory 1000000
	stop_shim
}

# What confinement costs: $1: title; $2: data file; $3: rounds.
measure_jail_on() {
	measure "$1, confined or not" -n "$3" \
		jail env LD_PRELOAD="$bin/its_kernel.so" "$retriage" summary "$data/$2" -- \
		none env LD_PRELOAD="$bin/bare_kernel.so" "$retriage" summary "$data/$2"
}

measure_jail() {
	gzip -c "$data/10.json" >"$data/10.json.gz"
	measure_jail_on "10 issues" 10.json 100
	measure_jail_on "10 issues, .gz" 10.json.gz 100
	measure_jail_on "100,000 issues" 100k.json "$((rounds * 3))"
	goal "time without confinement" "$(ratio_to none)" 1.05
	measure_jail_on "100,000 issues, .gz" 100k.json.gz "$((rounds * 2))"
	goal "time without confinement" "$(ratio_to none)" 1.05
}

measure_large() {
	[ "${BENCH_LARGE:-0}" = 1 ] || return 0
	measure "1,000,000 issues, one CPU" -c "$cpu" -n 3 \
		retriage "$retriage" summary "$data/1000k.json" -- \
		simdjson "$bin/peer_simdjson" "$data/1000k.json"
	goal "time of simdjson on-demand" "$(ratio_to simdjson)" 0.5
	goal_memory "memory at 1,000,000 issues" retriage 1000000
	measure_growth 1000k 100k
}

mkdir -p "$data" "$out"
build_all
make_all_data
make_folders
make_all_requests
compare_answers 100k.json
compare_answers 100k-shuffled.json
compare_answers 400k-lean.json
compare_levels 100k.sarif
compare_levels 100k-last.sarif
compare_forms
if [ -x "$retriage" ]; then
	measure_plain
	measure_growth 100k 10k
	measure_forms
	measure_folders
	measure_logs
	measure_list
	measure_gate
	measure_updates
	measure_reports
	measure_jail
	measure_shim
	measure_large
else
	echo "no $retriage: the peers are measured alone"
	measure_peers
fi
echo
echo "goals missed: $missed"
[ "$missed" = 0 ] || [ "${BENCH_STRICT:-0}" != 1 ]
