#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }

mkdir "$tmp/with space"
d="$tmp/with space"
for day in 2023-12-31 2024-01-01 2024-02-10 2024-02-09 2024-11-30; do : > "$d/backup-$day.tar"; done
: > "$d/a.txt"
: > "$d/backup-old.tar"
: > "$d/zz.tar"
out=$(sh prune.sh 3 "$d")
expect "output" "deleted backup-2023-12-31.tar deleted backup-2024-01-01.tar" "$(echo "$out" | sort | xargs)"
expect "kept" "a.txt backup-2024-02-09.tar backup-2024-02-10.tar backup-2024-11-30.tar backup-old.tar zz.tar" "$(ls "$d" | LC_ALL=C sort | xargs)"
sh prune.sh 3 "$d"
expect "twice changes nothing" 6 "$(ls "$d" | wc -l | xargs)"
sh prune.sh 1 "$d" > /dev/null
expect "one" "backup-2024-11-30.tar" "$(ls "$d" | grep 2024 | xargs)"
sh prune.sh 0 "$d" > /dev/null
expect "none" "a.txt backup-old.tar zz.tar" "$(ls "$d" | LC_ALL=C sort | xargs)"
sh prune.sh x "$d" 2> /dev/null; expect "KEEP" 2 $?
sh prune.sh 1 "$tmp/none" 2> /dev/null; expect "no folder" 1 $?
sh prune.sh 1 2> /dev/null; expect "usage" 2 $?
mkdir "$tmp/src"; : > "$tmp/src/f"
for n in 1 2 3 4 5 6 7 8 9; do sh backup.sh "$tmp/src" "$tmp/dst" "2024-03-0$n" > /dev/null; done
expect "backup keeps seven" "backup-2024-03-03.tar 7" "$(ls "$tmp/dst" | head -1) $(ls "$tmp/dst" | wc -l | xargs)"
exit $failed
