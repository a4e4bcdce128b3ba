#!/bin/sh
read_csv() {
  cat "$1"
}
[ $# -eq 1 ] || exit 64
read_csv "$1"
