#!/bin/sh
set -u

. "$(dirname "$0")/lib/log.sh"

[ $# -eq 2 ] || die "usage: deploy.sh VERSION FOLDER"
mkdir -p "$2" || die "no folder $2"
[ -e "$2/current" ] && cp "$2/current" "$2/previous"
echo "$1" > "$2/current"
log "$1 is live"
