#!/bin/sh
# Check a journal's hashes and their chain with sha256sum alone: sh check-journal.sh < JOURNAL
# A last line without its line end counts as well, where it is whole.
# Prints the hash of the last line, which retriage log --head prints too; exit 1 at a bad line.
number=0 last=
while IFS= read -r line || [ -n "$line" ]; do
	number=$((number + 1))
	hash=$(printf %s "${line%,\"hash\":*}" | sha256sum | cut -c 1-64)
	case $number$line in
	'1{"retriage_journal":'[12],*",\"hash\":\"$hash\"}") ;;
	"$number{\"seq\":$((number - 1)),"*",\"prev\":\"$last\",\"hash\":\"$hash\"}") ;;
	*)
		echo "line $number does not hold" >&2
		exit 1
		;;
	esac
	last=$hash
done
echo "$last"
