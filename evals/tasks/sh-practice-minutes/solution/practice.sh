#!/bin/sh
# Adds up the time of practice: practice.sh total INSTRUMENT | practice.sh list
# Each line of the file $PRACTICE has a date, the start, the end and the instrument.
set -eu

file=${PRACTICE:-practice.txt}

die() {
  echo "practice: $1" >&2
  exit 1
}

# The minutes since midnight of a time like 17:05.
minutes() {
  hour=${1%:*}
  minute=${1#*:}
  # without a leading 0, or 08 and 09 would be octal numbers
  hour=${hour#0}
  minute=${minute#0}
  echo $((hour * 60 + minute))
}

# The minutes between two times.
duration() {
  start=$(minutes "$1")
  end=$(minutes "$2")
  if [ "$end" -lt "$start" ]; then end=$((end + 24 * 60)); fi
  echo $((end - start))
}

total() {
  sum=0
  while read -r _ from to instrument; do
    if [ "$instrument" = "$1" ]; then
      length=$(duration "$from" "$to")
      sum=$((sum + length))
    fi
  done <"$file"
  echo "$((sum / 60)) h $((sum % 60)) min"
}

list() {
  while read -r date from to instrument; do
    length=$(duration "$from" "$to")
    echo "$date $instrument $length min"
  done <"$file"
}

[ -e "$file" ] || die "no such file: $file"
case ${1:-list} in
  list) list ;;
  total)
    [ -n "${2:-}" ] || die "which instrument?"
    total "$2"
    ;;
  *) die "unknown command: $1" ;;
esac
