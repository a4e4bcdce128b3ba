#!/bin/sh
# Tests of link.sh and missing.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

expect() { # NAME WANTED GOT
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: expected '$2', got '$3'"
    failed=1
  fi
}

mkdir "$tmp/files" "$tmp/home" "$tmp/home2"
echo one > "$tmp/files/bashrc"
echo two > "$tmp/files/tmux"

printf '# shell\nbashrc .bashrc\n\ntmux .config/tmux.conf\n' > "$tmp/files/list"
expect "links all" "linked .bashrc linked .config/tmux.conf" "$(sh "$here/link.sh" "$tmp/files/list" "$tmp/home" | xargs)"
expect "content" "two" "$(cat "$tmp/home/.config/tmux.conf")"
expect "nothing missing" "" "$(sh "$here/missing.sh" "$tmp/files/list" "$tmp/home")"

printf 'bashrc .bashrc\ntmux .tmux.conf' > "$tmp/files/short"
expect "no newline at the end" "linked .bashrc linked .tmux.conf" "$(sh "$here/link.sh" "$tmp/files/short" "$tmp/home2" | xargs)"
expect "content without newline" "two" "$(cat "$tmp/home2/.tmux.conf" 2> /dev/null)"

rm "$tmp/home/.bashrc"
echo mine > "$tmp/home/.bashrc"
sh "$here/link.sh" "$tmp/files/list" "$tmp/home" > /dev/null
expect "keeps what is no link" "mine" "$(cat "$tmp/home/.bashrc")"

sh "$here/link.sh" "$tmp/none" "$tmp/home" 2> /dev/null
expect "no list" 1 $?

exit $failed
