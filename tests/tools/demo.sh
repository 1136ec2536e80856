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

run summary --pretty --recent 2 fixtures/good-sample.json
run rulesets --pretty --repo-id acme/payments --org-wide fixtures/good-sample.json
