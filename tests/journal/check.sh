#!/bin/sh
# Check a journal with nothing but a shell and sha256sum: check.sh JOURNAL
# A last line without its line end counts as well, where it is whole.
# Every line's hash is that of its bytes before it, and every prev the hash of the line before.
# Prints the head as SEQ:HASH; exit 1 names the first line that is wrong.
prev='' n=0
while IFS= read -r line || [ -n "$line" ]; do
	n=$((n + 1))
	hash=$(printf '%s' "${line%,\"hash\":*}" | sha256sum | cut -d' ' -f1)
	case $line in
	*,\"prev\":\""$prev"\",\"hash\":\""$hash"\"\}) [ $n -gt 1 ] ;;
	\{\"retriage_journal\":[12],*,\"hash\":\""$hash"\"\}) [ $n -eq 1 ] ;;
	*) false ;;
	esac || {
		echo "line $n is wrong" >&2
		exit 1
	}
	prev=$hash
done <"$1"
echo "$((n - 1)):$prev"
