#!/bin/sh
# A reading list: books.sh add|read|list [TITLE]
# The list is in the file $BOOKS: a state (todo or read), a tab and the title on each line.
set -eu

file=${BOOKS:-books.txt}
tab=$(printf '\t')
[ -e "$file" ] || : >"$file"

die() {
  echo "books: $1" >&2
  exit 1
}

has() {
  grep -qxF -e "todo$tab$1" -e "read$tab$1" "$file"
}

add() {
  if has "$1"; then die "already on the list: $1"; fi
  printf 'todo\t%s\n' "$1" >>"$file"
}

mark_read() {
  has "$1" || die "not on the list: $1"
  while IFS=$tab read -r state title; do
    if [ "$title" = "$1" ]; then state=read; fi
    printf '%s\t%s\n' "$state" "$title"
  done <"$file" >"$file.new"
  mv "$file.new" "$file"
}

drop() {
  has "$1" || die "not on the list: $1"
  sed "/$tab$1\$/d" "$file" >"$file.new"
  mv "$file.new" "$file"
}

list() {
  while IFS=$tab read -r state title; do
    case $state in
      read) echo "[x] $title" ;;
      *) echo "[ ] $title" ;;
    esac
  done <"$file"
}

command=${1:-list}
title=${2:-}
case $command in
  list) list ;;
  add | read)
    [ -n "$title" ] || die "which title?"
    if [ "$command" = add ]; then add "$title"; else mark_read "$title"; fi
    ;;
  drop)
    [ -n "$title" ] || die "which title?"
    drop "$title"
    ;;
  *) die "unknown command: $command" ;;
esac
