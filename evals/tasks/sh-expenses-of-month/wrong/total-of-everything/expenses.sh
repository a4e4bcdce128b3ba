#!/bin/sh
# Prints what was spent on what: sh expenses.sh FILE [MONTH]

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: sh expenses.sh FILE [MONTH]" >&2
  exit 2
fi

case "${2-}" in
  '' | [0-9][0-9][0-9][0-9]-[0-9][0-9]) ;;
  *)
    echo "expenses: not a month: $2" >&2
    exit 2
    ;;
esac

awk -v month="${2-}" '
  /^#/ || NF == 0 { next }
  month != "" && substr($1, 1, 7) != month { next }
  { sum[$2] += $3 }
  END { for (category in sum) printf "%s %.2f\n", category, sum[category] }
' "$1" | LC_ALL=C sort

awk '
  /^#/ || NF == 0 { next }
  { total += $3 }
  END { printf "total %.2f\n", total }
' "$1"
