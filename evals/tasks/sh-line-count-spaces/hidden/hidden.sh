#!/bin/sh
set -u
here=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
expect() { [ "$2" = "$3" ] || { printf 'FAILED: %s\nexpected:\n%s\ngot:\n%s\n' "$1" "$2" "$3"; failed=1; }; }

mkdir -p "a b/c  d" e
printf '1\n2\n3\n' > "a b/c  d/x   y.txt"
printf '1\n' > "a b/*.txt"
: > "a b/empty.txt"
printf '1\n \n' > " lead.txt"
printf '1\n2' > "e/tail .txt"
expect "many folders" "1 a b/*.txt
3 a b/c  d/x   y.txt
0 a b/empty.txt
2 e/tail .txt
6 lines in 4 files" "$(LC_ALL=C sh "$here/loc.sh" "a b" e 2>&1)"
mkdir "in"; mv " lead.txt" in/
expect "leading space" "1 in/ lead.txt
1 lines in 1 files" "$(sh "$here/loc.sh" in 2>&1)"
expect "extension" "0 lines in 0 files" "$(sh "$here/loc.sh" -e md "a b" 2>&1)"
sh "$here/loc.sh" > /dev/null 2>&1; expect "usage" 2 $?
mkdir 'back\slash'; printf '1\n' > 'back\slash/n.txt'
expect "backslash" '1 back\slash/n.txt
1 lines in 1 files' "$(sh "$here/loc.sh" 'back\slash' 2>&1)"
exit $failed
