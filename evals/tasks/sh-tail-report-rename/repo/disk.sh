#!/bin/sh
# disk.sh FOLDER...: reports the number of files in folders.
set -eu
. "$(dirname "$0")/lib.sh"

for folder in "$@"; do
  rpt disk "$folder: $(find "$folder" -type f | wc -l | tr -d ' ') files"
done
