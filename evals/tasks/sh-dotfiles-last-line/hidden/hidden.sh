#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }

d="$tmp/my files"
mkdir "$d"
for f in a b c; do echo "content $f" > "$d/$f"; done

printf 'a .a\n\n# more\nb .b\nc deep/er/.c' > "$d/list"
cp "$d/list" "$tmp/copy"
expect "no newline" "linked .a linked .b linked deep/er/.c" "$(sh link.sh "$d/list" "$tmp/h1" | xargs)"
expect "last file" "content c" "$(cat "$tmp/h1/deep/er/.c" 2> /dev/null)"
cmp -s "$d/list" "$tmp/copy"; expect "the list is left alone" 0 $?
expect "none missing" "" "$(sh missing.sh "$d/list" "$tmp/h1")"

printf 'a .a\n\nb .b\n' > "$d/list"
expect "newline" "linked .a linked .b" "$(sh link.sh "$d/list" "$tmp/h2" | xargs)"
expect "again" "linked .a linked .b" "$(sh link.sh "$d/list" "$tmp/h2" | xargs)"

printf 'c .c' > "$d/list"
expect "one line" "linked .c" "$(sh link.sh "$d/list" "$tmp/h3" | xargs)"

printf 'a .a\n# the end' > "$d/list"
expect "comment at the end" "linked .a" "$(sh link.sh "$d/list" "$tmp/h4" 2>&1 | xargs)"
expect "only that" ".a" "$(ls -A "$tmp/h4" | xargs)"

printf 'a .a\nnothing .n' > "$d/list"
expect "missing at the end" "linked .a missing nothing" "$(sh link.sh "$d/list" "$tmp/h5" | xargs)"
expect "no dead link" ".a" "$(ls -A "$tmp/h5" | xargs)"

mkdir "$tmp/h6"
echo mine > "$tmp/h6/.b"
printf 'a .a\nb .b' > "$d/list"
expect "kept at the end" "linked .a kept .b" "$(sh link.sh "$d/list" "$tmp/h6" | xargs)"
expect "still mine" "mine" "$(cat "$tmp/h6/.b")"

: > "$d/list"
expect "empty list" "" "$(sh link.sh "$d/list" "$tmp/h7")"
sh link.sh "$d/list" 2> /dev/null; expect "usage" 2 $?
sh link.sh "$tmp/none" "$tmp/h1" 2> /dev/null; expect "no list" 1 $?
exit $failed
