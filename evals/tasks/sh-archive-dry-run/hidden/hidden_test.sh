#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
is() {
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    failed=1
  fi
}
run() { sh "$here/archive.sh" "$@"; }

# Nothing is made or moved.
echo one >a.txt
echo two >'b c.txt'
is 'two files' "$(printf 'would move a.txt -> archive/a.txt\nwould move b c.txt -> archive/b c.txt')" "$(run -n a.txt 'b c.txt' 2>&1)"
is 'nothing changed' "$(printf 'a.txt\nb c.txt')" "$(ls)"
is 'content' 'one' "$(cat a.txt)"
run -n a.txt >/dev/null 2>&1
is 'status' 0 $?

# With the other options.
is 'with -d' 'would move a.txt -> deep/old/a.txt' "$(run -n -d deep/old a.txt 2>&1)"
is '-d first' 'would move a.txt -> x/a.txt' "$(run -d x -n a.txt 2>&1)"
is 'together' 'would move a.txt -> x/a.txt' "$(run -nd x a.txt 2>&1)"
is 'no folders' "$(printf 'a.txt\nb c.txt')" "$(ls)"

# Missing files.
is 'missing' "$(printf 'archive.sh: no such file: none\nwould move a.txt -> archive/a.txt')" "$(run -n none a.txt 2>&1)"
run -n none a.txt >/dev/null 2>&1
is 'status with a missing file' 1 $?
is 'on stderr' 'would move a.txt -> archive/a.txt' "$(run -n none a.txt 2>/dev/null)"

# Taken names, and an index that stays.
run -q a.txt
echo new >a.txt
before=$(cat archive/index.txt)
is 'number' 'would move a.txt -> archive/a.txt.1' "$(run -n a.txt 2>&1)"
is 'index' "$before" "$(cat archive/index.txt)"
is 'archive' "$(printf 'a.txt\nindex.txt')" "$(ls archive)"

# A real run is as before.
is 'real' 'moved a.txt -> archive/a.txt.1' "$(run a.txt)"
is 'real index' "$(printf 'a.txt\ta.txt\na.txt\ta.txt.1')" "$(cat archive/index.txt)"
is 'real quiet' '' "$(run -q -d y 'b c.txt')"
is 'real folder' "$(printf 'b c.txt\nindex.txt')" "$(ls y)"

# Usage.
run -n >/dev/null 2>usage.txt
is 'usage status' 2 $?
case $(cat usage.txt) in
  usage:*-n*) ;;
  *) echo 'FAILED usage does not name -n'; failed=1 ;;
esac
run -z a >/dev/null 2>&1
is 'unknown option' 2 $?
exit "$failed"
