#!/bin/sh
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export BOOKS="$dir/books.txt"

check() {
  if [ "$2" != "$3" ]; then
    echo "FAIL: $1: expected '$2', got '$3'" >&2
    exit 1
  fi
}

sh books.sh add "Emma"
sh books.sh add "The Trial"
sh books.sh add "Middlemarch"
sh books.sh read "Emma"
check "list" "[x] Emma
[ ] The Trial
[ ] Middlemarch" "$(sh books.sh list)"

check "add twice" "books: already on the list: Emma" "$(sh books.sh add Emma 2>&1 || true)"

sh books.sh drop "The Trial"
check "drop" "[x] Emma
[ ] Middlemarch" "$(sh books.sh list)"

if sh books.sh drop "Ulysses" 2>"$dir/errors"; then
  echo "FAIL: drop of a book that is not on the list must fail" >&2
  exit 1
fi
check "drop: not on the list" "books: not on the list: Ulysses" "$(cat "$dir/errors")"

echo ok
