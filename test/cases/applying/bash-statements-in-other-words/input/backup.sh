#!/bin/sh
set -e

SRC=$1
COUNT=0

for f in $(ls $SRC); do
  COUNT=$((COUNT + 1))
  echo $f
done

if [ -z "$1" ]; then
  exit 1
fi

echo "done $COUNT"
