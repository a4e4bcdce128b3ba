#!/bin/sh
# Tests of the report scripts.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset RPT_DIR REPORT_DIR
failed=0
expect() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected '$2', got '$3'"; failed=1; fi
}

printf 'ERROR a\nfine\n' > "$tmp/log"
REPORT_DIR=$tmp/new sh "$here/errors.sh" "$tmp/log"
expect "new variable" "$tmp/log: 1 errors" "$(cat "$tmp/new/errors.rpt" 2>&1)"
RPT_DIR=$tmp/old sh "$here/errors.sh" "$tmp/log"
expect "old variable" "$tmp/log: 1 errors" "$(cat "$tmp/old/errors.rpt" 2>&1)"
expect "function" "y" "$(grep -q '^report_line()' "$here/lib.sh" && echo y)"
exit $failed
