#!/bin/sh
# Tests of prune.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

expect() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: expected '$2', got '$3'"
    failed=1
  fi
}

mkdir "$tmp/a"
touch "$tmp/a/backup-2024-01-01.tar" "$tmp/a/backup-2024-01-02.tar" "$tmp/a/backup-2024-01-03.tar" "$tmp/a/notes.txt"
sh "$here/prune.sh" 2 "$tmp/a" > /dev/null
expect "keeps the two newest" "backup-2024-01-02.tar backup-2024-01-03.tar notes.txt" "$(ls "$tmp/a" | xargs)"

mkdir "$tmp/b"
touch "$tmp/b/backup-2024-01-01.tar"
sh "$here/prune.sh" 3 "$tmp/b"
expect "fewer than KEEP" "backup-2024-01-01.tar" "$(ls "$tmp/b" | xargs)"

sh "$here/prune.sh" many "$tmp/b" 2> /dev/null
expect "KEEP is checked" 2 $?

exit $failed
