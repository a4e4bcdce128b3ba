#!/bin/sh
set -u

log() {
  echo "[$(basename "$0" .sh)] $*"
}

die() {
  echo "error: $*"
  exit 1
}

[ $# -eq 2 ] || die "usage: deploy.sh VERSION FOLDER"
mkdir -p "$2" || die "no folder $2"
[ -e "$2/current" ] && cp "$2/current" "$2/previous"
echo "$1" > "$2/current"
log "$1 is live"
