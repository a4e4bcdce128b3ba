#!/bin/sh
set -u

. "$(dirname "$0")/lib/log.sh"
die() { echo "rollback: $*" >&2; exit 2; }

[ $# -eq 1 ] || die "usage: rollback.sh FOLDER"
[ -e "$1/previous" ] || die "nothing to go back to in $1"
mv "$1/previous" "$1/current"
log "$(cat "$1/current") is live again"
