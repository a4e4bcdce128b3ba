#!/bin/sh
# Prints "name<TAB>count" for each line of a file.
set -u
here=$(dirname "$0")
. "$here/read.sh"

legacy=no
strict=no
while [ $# -gt 0 ]; do
  case $1 in
    --legacy) legacy=yes ;;
    --strict) strict=yes ;;
    --help) cat "$here/help.txt"; exit 0 ;;
    -*) echo "import: unknown option $1" >&2; exit 64 ;;
    *) break ;;
  esac
  shift
done

[ $# -eq 1 ] || { echo "import: one file, please" >&2; exit 64; }
if [ "$legacy" = yes ]; then
  read_legacy "$1"
else
  read_csv "$1" "$strict"
fi
