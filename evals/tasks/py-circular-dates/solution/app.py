from dates import parse_date
from holidays import is_holiday

CLOSED_ON = 6


def is_open(text):
    day = parse_date(text)
    return day.weekday() != CLOSED_ON and not is_holiday(day)
