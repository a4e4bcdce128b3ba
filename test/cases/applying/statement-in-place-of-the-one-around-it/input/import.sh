#!/bin/sh
legacy=no
read_csv() {
  cat "$1"
}
[ $# -eq 1 ] || exit 64
if [ "$legacy" = yes ]; then
  read_legacy "$1"
else
  read_csv "$1"
fi
