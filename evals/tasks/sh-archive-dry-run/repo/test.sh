#!/bin/sh
# Tests of archive.sh.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# is NAME EXPECTED ACTUAL
is() {
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

echo one >a.txt
is 'moves' 'moved a.txt -> archive/a.txt' "$(sh "$here/archive.sh" a.txt)"
is 'moved' 'one' "$(cat archive/a.txt)"
is 'index' "$(printf 'a.txt\ta.txt')" "$(cat archive/index.txt)"

echo two >a.txt
is 'takes a number' 'moved a.txt -> archive/a.txt.1' "$(sh "$here/archive.sh" a.txt)"

echo three >c.txt
is 'quiet' '' "$(sh "$here/archive.sh" -q -d old c.txt)"

is 'missing' 'archive.sh: no such file: none.txt' "$(sh "$here/archive.sh" none.txt 2>&1)"

echo four >d.txt
is 'dry run' 'would move d.txt -> archive/d.txt' "$(sh "$here/archive.sh" -n d.txt 2>&1)"
is 'dry run leaves the file' 'four' "$(cat d.txt)"

[ "$failed" = 0 ] && echo 'all passed'
exit "$failed"
