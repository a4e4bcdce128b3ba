#!/bin/sh
set -eu

SRC=$1
COUNT=0

for f in "$SRC"/*; do
  COUNT=$((COUNT + 1))
  echo "$f"
done

if [ $# -ne 1 ]; then
  exit 1
fi

echo "done: $COUNT"
