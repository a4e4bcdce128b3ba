#!/bin/sh
# loc.sh [-e EXTENSION] DIR...: counts the lines of text files below folders that are not empty lines.
set -eu

extension=txt
while getopts e: option; do
  case $option in
    e) extension=$OPTARG ;;
    *) echo "usage: loc.sh [-e EXTENSION] DIR..." >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

[ $# -gt 0 ] || { echo "usage: loc.sh [-e EXTENSION] DIR..." >&2; exit 2; }

lines_of() {
  grep -c '[^[:space:]]' "$1" || true
}

total=0
files=0
for dir in $*; do
  for file in $(find $dir -type f -name "*.$extension" | sort); do
    n=$(lines_of "$file")
    echo "$n $file"
    total=$((total + n))
    files=$((files + 1))
  done
done
echo "$total lines in $files files"
