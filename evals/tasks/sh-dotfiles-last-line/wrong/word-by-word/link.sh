#!/bin/sh
# link.sh LIST HOME: links the files of LIST into the folder HOME.
# A line of LIST is "FILE NAME": FILE lies beside LIST, NAME is its name in HOME. Empty lines and lines with # are skipped.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: link.sh LIST HOME" >&2
  exit 2
fi
list=$1
home=$2
[ -f "$list" ] || { echo "link.sh: no list $list" >&2; exit 1; }
here=$(cd "$(dirname "$list")" && pwd)

for file in $(cat "$list"); do
  name=.$file
  case $file in
    '' | '#'*) continue ;;
  esac
  if [ ! -e "$here/$file" ]; then
    echo "missing $file"
    continue
  fi
  if [ -e "$home/$name" ] && [ ! -L "$home/$name" ]; then
    echo "kept $name"
    continue
  fi
  mkdir -p "$(dirname "$home/$name")"
  ln -sf "$here/$file" "$home/$name"
  echo "linked $name"
done
