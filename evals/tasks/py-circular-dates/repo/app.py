import re
from datetime import date

from holidays import is_holiday

DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
CLOSED_ON = 6


def parse_date(text):
    found = DATE.fullmatch(text.strip())
    if not found:
        raise ValueError(f"no date: {text}")
    day, month, year = map(int, found.groups())
    return date(year, month, day)


def is_open(text):
    day = parse_date(text)
    return day.weekday() != CLOSED_ON and not is_holiday(day)
