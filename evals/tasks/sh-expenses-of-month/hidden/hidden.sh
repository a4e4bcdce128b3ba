#!/bin/sh

failed=0

expect() {
  if [ "$2" != "$3" ]; then
    echo "not ok $1"
    printf 'wanted:\n%s\ngot:\n%s\n' "$2" "$3"
    failed=1
  fi
}

expect 'May' "food 8.00
travel 49.90
total 57.90" "$(sh expenses.sh spent.txt 2024-05)"
expect 'June' "books 15.00
food 20.25
total 35.25" "$(sh expenses.sh spent.txt 2024-06)"
expect 'none' 'total 0.00' "$(sh expenses.sh spent.txt 2023-05)"
expect 'everything' "books 15.00
food 40.75
travel 49.90
total 105.65" "$(sh expenses.sh spent.txt)"

sh expenses.sh spent.txt 2023-05 >/dev/null
expect 'exit status of none' 0 $?

for bad in May 2024 2024-5 2024-05-02 24-05 2024/05 2024-0x 2024-055 x2024-05; do
  out="$(sh expenses.sh spent.txt "$bad" 2>/dev/null)"
  expect "exit status for $bad" 2 $?
  expect "stdout for $bad" '' "$out"
  err="$(sh expenses.sh spent.txt "$bad" 2>&1 >/dev/null)"
  [ -n "$err" ]
  expect "message for $bad" 0 $?
done

sh expenses.sh >/dev/null 2>&1
expect 'no file' 2 $?

exit $failed
