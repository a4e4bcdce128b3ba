#!/bin/sh
set -u

log() { echo "rollback: $1"; }

# Says what is wrong and ends.
die() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 2
}

[ $# -eq 1 ] || die "usage: rollback.sh FOLDER"
[ -e "$1/previous" ] || die "nothing to go back to in $1"
mv "$1/previous" "$1/current"
log "$(cat "$1/current") is live again"
