#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'Tea;3\nbad\nCup;4\n' > "$tmp/a.csv"
got=$(sh import.sh "$tmp/a.csv")
[ "$got" = "$(printf 'Tea\t3\nCup\t4')" ] || { echo "FAILED: got $got"; exit 1; }
sh import.sh --strict "$tmp/a.csv" > /dev/null 2>&1 && { echo "FAILED: --strict"; exit 1; }
echo ok
