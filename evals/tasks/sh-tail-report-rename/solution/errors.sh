#!/bin/sh
# errors.sh LOG: reports how many lines of a log are errors.
set -eu
. "$(dirname "$0")/lib.sh"

count=$(grep -c ERROR "$1" || true)
if [ "$count" -gt 0 ]; then
  report_line errors "$1: $count errors"
else
  report_line errors "$1: fine"
fi
