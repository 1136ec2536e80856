#!/bin/sh
# Show what the program does with a sample export: demo.sh RETRIAGE
set -eu
retriage=$1

run() {
	printf '\n$ retriage'
	printf ' %s' "$@"
	echo
	"$retriage" "$@"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/retriage-demo.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM

run summary --pretty --recent 2 fixtures/good-sample.json
run rulesets --pretty --repo-id acme/payments --org-wide fixtures/good-sample.json
run apply --journal "$scratch/audit.jsonl" --actor demo --at 2026-01-31T12:00:00Z --pretty \
	fixtures/good-sample.json fixtures/requests/good-sample.json
run log "$scratch/audit.jsonl"
run verify --pretty -o "$scratch/updated.json" "$scratch/audit.jsonl" fixtures/good-sample.json
printf '\n$ diff fixtures/good-sample.json %s\n' "$scratch/updated.json"
diff fixtures/good-sample.json "$scratch/updated.json" || [ $? -eq 1 ]
