"""Prints the payments: python3 rent.py FIRST COUNT AMOUNT"""

import sys
from datetime import date

from schedule import due_dates

first = date.fromisoformat(sys.argv[1])
count = int(sys.argv[2])
amount = float(sys.argv[3])
for day in due_dates(first, count):
    print(f"{day} {amount:.2f}")
