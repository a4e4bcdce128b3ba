#!/bin/sh
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export PRACTICE="$dir/practice.txt"

check() {
  if [ "$2" != "$3" ]; then
    echo "FAIL: $1: expected '$2', got '$3'" >&2
    exit 1
  fi
}

cat >"$PRACTICE" <<'END'
2024-05-01 08:08 09:09 piano
2024-05-01 09:58 10:08 piano
2024-05-02 10:20 20:30 cello
2024-05-03 12:00 12:00 flute
2024-05-04 23:59 00:00 flute
2024-05-05 00:09 00:08 drums
2024-05-06 20:00 08:00 organ
2024-05-07 00:00 23:59 viola
2024-05-08 22:09 09:08 piano
END
check "list" "2024-05-01 piano 61 min
2024-05-01 piano 10 min
2024-05-02 cello 610 min
2024-05-03 flute 0 min
2024-05-04 flute 1 min
2024-05-05 drums 1439 min
2024-05-06 organ 720 min
2024-05-07 viola 1439 min
2024-05-08 piano 659 min" "$(sh practice.sh list)"
check "list is the default" "$(sh practice.sh list)" "$(sh practice.sh)"
check "piano" "12 h 10 min" "$(sh practice.sh total piano)"
check "flute" "0 h 1 min" "$(sh practice.sh total flute)"
check "cello" "10 h 10 min" "$(sh practice.sh total cello)"
check "drums" "23 h 59 min" "$(sh practice.sh total drums)"
check "nothing" "0 h 0 min" "$(sh practice.sh total tuba)"

if sh practice.sh total 2>"$dir/errors"; then exit 1; fi
check "which" "practice: which instrument?" "$(cat "$dir/errors")"
if sh practice.sh sum 2>"$dir/errors"; then exit 1; fi
check "unknown" "practice: unknown command: sum" "$(cat "$dir/errors")"

i=0
while [ $i -lt 60 ]; do
  two=$(printf '%02d' $i)
  echo "2024-06-01 07:$two 08:$two piano" >"$PRACTICE"
  check "minute $two" "1 h 0 min" "$(sh practice.sh total piano)"
  i=$((i + 1))
done
