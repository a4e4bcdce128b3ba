#!/bin/sh
# show.sh: prints all reports, then removes them.
set -eu
. "$(dirname "$0")/lib.sh"

for file in "$REPORT_DIR"/*.rpt; do
  [ -f "$file" ] || continue
  echo "== $(basename "$file" .rpt)"
  cat "$file"
  rm "$file"
done
