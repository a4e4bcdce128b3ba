#!/bin/sh
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

check() {
  if [ "$2" != "$3" ]; then
    echo "FAIL: $1: expected '$2', got '$3'" >&2
    exit 1
  fi
}

mkdir "$dir/one" "$dir/two words" "$dir/empty" "$dir/one/album.jpg"
touch "$dir/one/a.Jpeg" "$dir/one/b.jPG" "$dir/one/c.JPg" "$dir/one/d.JpeG" "$dir/one/e.Png" "$dir/one/f.pNG"
check "mixed case" "jpg 4 png 2 other 0" "$(sh count-photos.sh "$dir/one")"

touch "$dir/two words/x y.JPEG" "$dir/two words/z.png" "$dir/two words/jpg" "$dir/two words/notjpg" "$dir/two words/p.jpg.txt" "$dir/two words/q.jpgx"
check "other" "jpg 1 png 1 other 4" "$(sh count-photos.sh "$dir/two words")"
check "empty" "jpg 0 png 0 other 0" "$(sh count-photos.sh "$dir/empty")"
check "report" "one: jpg 4 png 2 other 0
two words: jpg 1 png 1 other 4" "$(sh photos-report.sh "$dir/one" "$dir/two words")"

if sh count-photos.sh 2>/dev/null; then
  echo "FAIL: no folder" >&2
  exit 1
fi
