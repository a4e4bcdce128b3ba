#!/bin/sh
# Tests of deploy.sh, in a copy.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here/deploy.sh" "$here/settings.sh" "$tmp"
unset DEPLOY_HOST DEPLOY_PORT
failed=0
expect() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected '$2', got '$3'"; failed=1; fi
}

expect "defaults" "deploy to localhost:22" "$(sh "$tmp/deploy.sh")"
expect "environment" "deploy to env:22" "$(DEPLOY_HOST=env sh "$tmp/deploy.sh")"
printf 'host=file\nport=2200\n' > "$tmp/deploy.conf"
expect "file" "deploy to file:2200" "$(sh "$tmp/deploy.sh")"
expect "environment over file" "deploy to env:2200" "$(DEPLOY_HOST=env sh "$tmp/deploy.sh")"
expect "options over all" "deploy to opt:1" "$(DEPLOY_HOST=env sh "$tmp/deploy.sh" --host opt --port 1 2>&1)"
exit $failed
