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
2024-03-02 17:00 17:45 piano
2024-03-02 18:30 20:00 cello
2024-03-03 10:20 11:35 piano
END
check "total" "2 h 0 min" "$(sh practice.sh total piano)"
check "list" "2024-03-02 piano 45 min
2024-03-02 cello 90 min
2024-03-03 piano 75 min" "$(sh practice.sh list)"
check "no practice" "0 h 0 min" "$(sh practice.sh total flute)"

cat >"$PRACTICE" <<'END'
2024-03-04 08:15 09:05 piano
2024-03-04 17:09 18:08 cello
2024-03-05 00:00 00:10 piano
END
check "08 and 09: total" "1 h 0 min" "$(sh practice.sh total piano)"
check "08 and 09: list" "2024-03-04 piano 50 min
2024-03-04 cello 59 min
2024-03-05 piano 10 min" "$(sh practice.sh list)"

cat >"$PRACTICE" <<'END'
2024-03-06 23:40 00:20 piano
2024-03-07 22:00 01:09 cello
END
check "past midnight: total" "0 h 40 min" "$(sh practice.sh total piano)"
check "past midnight: list" "2024-03-06 piano 40 min
2024-03-07 cello 189 min" "$(sh practice.sh list)"

echo ok
