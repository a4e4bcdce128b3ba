#!/bin/sh
# missing.sh LIST HOME: prints the names that are not in HOME yet.
set -eu
list=$1
home=$2

awk '!/^#/ && NF > 0 { print $2 }' "$list" | while read -r name; do
  [ -e "$home/$name" ] || echo "$name"
done
