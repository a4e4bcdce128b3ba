#!/bin/sh
# Counts the pictures in several folders: photos-report.sh DIR...
set -eu

here=$(dirname "$0")

for dir in "$@"; do
  echo "$(basename "$dir"): $(sh "$here/count-photos.sh" "$dir")"
done
