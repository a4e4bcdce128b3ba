#!/bin/sh
# Prints what was spent on what: sh expenses.sh FILE

if [ $# -ne 1 ]; then
  echo "usage: sh expenses.sh FILE" >&2
  exit 2
fi

awk '
  /^#/ || NF == 0 { next }
  { sum[$2] += $3 }
  END { for (category in sum) printf "%s %.2f\n", category, sum[category] }
' "$1" | LC_ALL=C sort

awk '
  /^#/ || NF == 0 { next }
  { total += $3 }
  END { printf "total %.2f\n", total }
' "$1"
