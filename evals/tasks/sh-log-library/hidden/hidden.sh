#!/bin/sh
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=$(pwd)
failed=0
expect() { [ "$2" = "$3" ] || { echo "FAILED: $1: expected '$2', got '$3'"; failed=1; }; }
cd "$tmp"
expect "deploy from elsewhere" "[deploy] v1 is live" "$(sh "$here/deploy.sh" v1 "a b" 2>&1)"
sh "$here/deploy.sh" v2 "a b" > /dev/null
expect "rollback from elsewhere" "[rollback] v1 is live again" "$(sh "$here/rollback.sh" "a b" 2>&1)"
expect "content" "v1" "$(cat "a b/current")"
sh "$here/rollback.sh" "a b" > out 2> err; code=$?
expect "code of rollback" "2" "$code"
expect "message of rollback" "rollback: nothing to go back to in a b" "$(cat err)"
sh "$here/deploy.sh" > out 2> err; code=$?
expect "code of deploy" "2" "$code"
expect "deploy says it on stderr" "deploy: usage: deploy.sh VERSION FOLDER" "$(cat err)"
expect "nothing on stdout" "" "$(cat out)"
ln -s "$here" "$tmp/link"
expect "through a link" "[deploy] v3 is live" "$(sh "$tmp/link/deploy.sh" v3 c 2>&1)"
cd "$here"
expect "one definition of log" "lib/log.sh" "$(grep -lE '^ *(log|die) *\(\)' *.sh lib/*.sh | grep -v hidden.sh)"
exit $failed
