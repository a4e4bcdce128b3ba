#!/bin/sh
# Moves files into an archive folder.
# usage: archive.sh [-n] [-d DIR] [-q] FILE...

. "$(dirname "$0")/lib.sh"

usage() {
  echo 'usage: archive.sh [-n] [-d DIR] [-q] FILE...' >&2
  exit 2
}

folder=archive
quiet=no
dry=no
while getopts 'd:nq' option; do
  case $option in
    d) folder=$OPTARG ;;
    n) dry=yes ;;
    q) quiet=yes ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

[ "$dry" = yes ] || mkdir -p "$folder"
status=0
for file in "$@"; do
  if [ ! -f "$file" ]; then
    complain "no such file: $file"
    status=1
    continue
  fi
  target=$(free_name "$folder/$(basename "$file")")
  [ "$dry" = yes ] || mv "$file" "$target"
  note "$folder" "$file" "$target" 2>/dev/null
  [ "$dry" = no ] || echo "would move $file -> $target"
  [ "$quiet" = yes ] || [ "$dry" = yes ] || echo "moved $file -> $target"
done
exit "$status"
