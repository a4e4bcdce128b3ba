#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }
printf 'Tea;3\nbad\nCup;4\n' > "$tmp/a.csv"
expect "csv" "$(printf 'Tea\t3\nCup\t4')" "$(sh import.sh "$tmp/a.csv")"
sh import.sh --strict "$tmp/a.csv" > "$tmp/out" 2> "$tmp/err"; expect "strict" 1 $?
expect "what is wrong" "line 2 is wrong" "$(cat "$tmp/err")"
sh import.sh --legacy "$tmp/a.csv" > "$tmp/out" 2> "$tmp/err"; expect "unknown option" 64 $?
expect "its message" "import: unknown option --legacy" "$(cat "$tmp/err")"
expect "help" "usage: import.sh [--strict] FILE" "$(sh import.sh --help | head -n 1)"
expect "strict is in the help" 1 "$(sh import.sh --help | grep -c '^  --strict')"
expect "files" "help.txt import.sh read.sh" "$(ls | grep -v -e hidden -e test.sh | tr '\n' ' ' | sed 's/ $//')"
expect "nothing left" "" "$(grep -n -i legacy import.sh read.sh help.txt)"
exit $failed
