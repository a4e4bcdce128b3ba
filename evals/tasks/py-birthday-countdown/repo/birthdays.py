"""Prints the birthdays of a file: python3 birthdays.py FILE [TODAY]"""

import sys
from datetime import date

from countdown import upcoming

today = date.fromisoformat(sys.argv[2]) if len(sys.argv) > 2 else date.today()
people = []
with open(sys.argv[1]) as f:
    for line in f:
        born, name = line.strip().split(" ", 1)
        people.append((name, date.fromisoformat(born)))

for name, days in upcoming(people, today):
    print(f"{name}: in {days} days")
