#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp deploy.sh settings.sh "$tmp"
unset DEPLOY_HOST DEPLOY_PORT
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }
d="$tmp/deploy.sh"
expect "option only" "deploy to localhost:9" "$(sh "$d" --port 9 2>&1)"
printf 'host=old\nport=2200\nhost=file\n' > "$tmp/deploy.conf"
expect "last of the file" "deploy to file:2200" "$(sh "$d" 2>&1)"
expect "port of the environment" "deploy to file:77" "$(DEPLOY_PORT=77 sh "$d" 2>&1)"
expect "empty environment" "deploy to file:2200" "$(DEPLOY_HOST= DEPLOY_PORT= sh "$d" 2>&1)"
expect "option over environment" "deploy to env:5" "$(DEPLOY_HOST=env DEPLOY_PORT=6 sh "$d" --port 5 2>&1)"
printf 'port=\n' > "$tmp/deploy.conf"
expect "empty in the file" "deploy to localhost:22" "$(sh "$d" 2>&1)"
sh "$d" --port x 2> /dev/null; expect "bad port" 2 $?
DEPLOY_PORT=x sh "$d" 2> /dev/null; expect "bad port of the environment" 2 $?
sh "$d" --what 2> /dev/null; expect "unknown option" 2 $?
exit $failed
