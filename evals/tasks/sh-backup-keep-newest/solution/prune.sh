#!/bin/sh
# prune.sh KEEP DIR: deletes old backups (backup-YYYY-MM-DD.tar) in DIR, keeps the KEEP newest.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: prune.sh KEEP DIR" >&2
  exit 2
fi
keep=$1
dir=$2

case $keep in
  '' | *[!0-9]*)
    echo "prune.sh: KEEP must be a number, not '$keep'" >&2
    exit 2
    ;;
esac
[ -d "$dir" ] || { echo "prune.sh: no folder $dir" >&2; exit 1; }

list() {
  ls "$dir" | grep '^backup-[0-9-]*\.tar$' || true
}

list | sort -r | tail -n "+$((keep + 1))" | while read -r name; do
  rm -- "$dir/$name"
  echo "deleted $name"
done
