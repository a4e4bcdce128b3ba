import re
from datetime import date

DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")


def parse_date(text):
    found = DATE.fullmatch(text.strip())
    if not found:
        raise ValueError(f"no date: {text}")
    day, month, year = map(int, found.groups())
    return date(year, month, day)
