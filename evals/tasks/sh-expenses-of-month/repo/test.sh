#!/bin/sh
# Tests of expenses.sh

failed=0

# expect NAME WANTED GOT
expect() {
  if [ "$2" = "$3" ]; then
    echo "ok $1"
  else
    echo "not ok $1"
    printf 'wanted:\n%s\ngot:\n%s\n' "$2" "$3"
    failed=1
  fi
}

expect 'everything' "books 15.00
food 40.75
travel 49.90
total 105.65" "$(sh expenses.sh spent.txt)"

expect 'April' "food 12.50
total 12.50" "$(sh expenses.sh spent.txt 2024-04 2>&1)"

sh expenses.sh spent.txt May >/dev/null 2>&1
expect 'not a month' 2 $?

exit $failed
