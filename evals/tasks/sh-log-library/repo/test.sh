#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
expect() { [ "$2" = "$3" ] && echo "ok: $1" || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }
expect "deploy" "[deploy] v1 is live" "$(sh deploy.sh v1 "$tmp/site" 2>&1)"
sh deploy.sh v2 "$tmp/site" > /dev/null
expect "rollback" "[rollback] v1 is live again" "$(sh rollback.sh "$tmp/site" 2>&1)"
exit $failed
