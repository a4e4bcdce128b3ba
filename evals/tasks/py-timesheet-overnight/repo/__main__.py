"""Usage: python3 . FILE"""

import sys

from timesheet import as_hours, totals


def main(path):
    with open(path, encoding="utf-8") as file:
        for name, minutes in sorted(totals(file).items()):
            print(f"{name:<12}{as_hours(minutes):>8}")


if __name__ == "__main__":
    main(sys.argv[1])
