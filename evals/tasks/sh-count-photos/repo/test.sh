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

touch "$dir/a.jpg" "$dir/my cat.png" "$dir/notes.txt"
check "lower case" "jpg 1 png 1 other 1" "$(sh count-photos.sh "$dir")"

touch "$dir/IMG_1.JPG" "$dir/IMG 2.Jpg"
check "upper and mixed case" "jpg 3 png 1 other 1" "$(sh count-photos.sh "$dir")"

touch "$dir/b.jpeg" "$dir/c.JPEG"
check "jpeg" "jpg 5 png 1 other 1" "$(sh count-photos.sh "$dir")"

touch "$dir/d.PNG"
check "png" "jpg 5 png 2 other 1" "$(sh count-photos.sh "$dir")"

echo ok
