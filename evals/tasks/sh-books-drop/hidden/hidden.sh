#!/bin/sh
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export BOOKS="$dir/my books.txt"

check() {
  if [ "$2" != "$3" ]; then
    echo "FAIL: $1: expected '$2', got '$3'" >&2
    exit 1
  fi
}

fails() {
  if sh books.sh "$@" 2>"$dir/errors"; then
    echo "FAIL: should fail: $*" >&2
    exit 1
  fi
}

for title in "Emma" "Emma Brown" "My Emma" "What?" "Whats" "A.B" "AxB" "read" "Don't Look"; do
  sh books.sh add "$title"
done
sh books.sh read "Emma Brown"
sh books.sh read "What?"

sh books.sh drop "Emma"
sh books.sh drop "A.B"
sh books.sh drop "What?"
check "exact titles" "[x] Emma Brown
[ ] My Emma
[ ] Whats
[ ] AxB
[ ] read
[ ] Don't Look" "$(sh books.sh list)"

fails drop "Emma"
check "message" "books: not on the list: Emma" "$(cat "$dir/errors")"
fails drop "emma brown"
fails drop "Brown"
fails drop
check "nothing is lost" "6" "$(sh books.sh list | wc -l | tr -d ' ')"

for title in "Emma Brown" "read" "Whats" "AxB" "Don't Look" "My Emma"; do
  sh books.sh drop "$title"
done
check "empty" "" "$(sh books.sh list)"
check "file" "0" "$(wc -l <"$BOOKS" | tr -d ' ')"

sh books.sh add "Emma"
check "again" "[ ] Emma" "$(sh books.sh)"
sh books.sh read "Emma"
check "read" "[x] Emma" "$(sh books.sh list)"
fails toss "Emma"
check "unknown" "books: unknown command: toss" "$(cat "$dir/errors")"
