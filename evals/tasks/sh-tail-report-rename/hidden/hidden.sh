#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset RPT_DIR REPORT_DIR
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }
mkdir "$tmp/f"; : > "$tmp/f/a"; : > "$tmp/f/b"; printf 'ok\n' > "$tmp/log"
export REPORT_DIR="$tmp/re ports"
sh disk.sh "$tmp/f" "$tmp/f" 2>&1
sh errors.sh "$tmp/log" 2>&1
expect "shown" "== disk
$tmp/f: 2 files
$tmp/f: 2 files
== errors
$tmp/log: fine" "$(sh show.sh 2>&1)"
expect "removed" "" "$(sh show.sh 2>&1)"
sh disk.sh "$tmp/f"
expect "new wins" "== disk
$tmp/f: 2 files" "$(RPT_DIR=$tmp/other sh show.sh 2>&1)"
unset REPORT_DIR
RPT_DIR="$tmp/old" sh disk.sh "$tmp/f"
expect "old" "disk.rpt" "$(ls "$tmp/old" 2>&1)"
expect "old shown" "== disk
$tmp/f: 2 files" "$(RPT_DIR=$tmp/old sh show.sh 2>&1)"
expect "default stays" "/tmp/reports" "$(sh -c '. ./lib.sh; echo "$REPORT_DIR"' 2>&1)"
expect "no old function" "" "$(grep -nE '(^|[^.[:alnum:]_/])rpt( |\()' lib.sh disk.sh errors.sh show.sh)"
expect "no old variable in scripts" "" "$(grep -n 'RPT_DIR' disk.sh errors.sh show.sh)"
exit $failed
