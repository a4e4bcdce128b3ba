import re
from datetime import date

from holidays import is_holiday

CLOSED_ON = 6
DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")


def parse_date(text):
    day, month, year = map(int, DATE.fullmatch(text.strip()).groups())
    return date(year, month, day)


def is_open(text):
    day = parse_date(text)
    return day.weekday() != CLOSED_ON and not is_holiday(day)
