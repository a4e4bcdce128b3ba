import sys
from datetime import date

from countdown import upcoming

for name, days in upcoming([], date.today()):
    print(f"{name}: in {days} days", file=sys.stdout)
