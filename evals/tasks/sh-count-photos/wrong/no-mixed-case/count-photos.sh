#!/bin/sh
# Counts the pictures in a folder: count-photos.sh DIR
set -eu

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
  echo "usage: count-photos.sh DIR" >&2
  exit 2
fi

jpg=0
png=0
other=0

for file in "$1"/*; do
  [ -f "$file" ] || continue
  case "$file" in
    *.jpg | *.JPG | *.Jpg | *.jpeg | *.JPEG) jpg=$((jpg + 1)) ;;
    *.png | *.PNG) png=$((png + 1)) ;;
    *) other=$((other + 1)) ;;
  esac
done

echo "jpg $jpg png $png other $other"
