#!/bin/sh
# backup.sh SOURCE DIR DAY: packs SOURCE into DIR/backup-DAY.tar and keeps the seven newest backups.
set -eu
source=$1
dir=$2
day=$3
here=$(dirname "$0")

mkdir -p "$dir"
tar -cf "$dir/backup-$day.tar" -C "$source" .
sh "$here/prune.sh" 7 "$dir"
