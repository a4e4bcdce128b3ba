#!/bin/sh
# Tests of loc.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0

expect() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    printf 'FAILED: %s\nexpected:\n%s\ngot:\n%s\n' "$1" "$2" "$3"
    failed=1
  fi
}

mkdir plain
printf 'a\n\nb\n' > plain/one.txt
printf 'c\n' > plain/two.txt
printf 'x\n' > plain/other.md
expect "plain names" "2 plain/one.txt
1 plain/two.txt
3 lines in 2 files" "$(sh "$here/loc.sh" plain)"
expect "extension" "1 plain/other.md
1 lines in 1 files" "$(sh "$here/loc.sh" -e md plain)"

mkdir "my notes"
printf 'a\nb\n' > "my notes/first draft.txt"
expect "spaces in names" "2 my notes/first draft.txt
2 lines in 1 files" "$(sh "$here/loc.sh" "my notes" 2>&1)"

exit $failed
