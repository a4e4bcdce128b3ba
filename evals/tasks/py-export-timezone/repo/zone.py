"""Time in Berlin without a time zone database: the rules of the European Union.

Summer time lasts from the last Sunday of March, 02:00 local time, to the last Sunday of October, 03:00 local (summer) time.
"""

from datetime import datetime, timedelta

WINTER = 1
SUMMER = 2


def last_sunday(year, month):
    """The last Sunday of March or October (both have 31 days)."""
    last = datetime(year, month, 31)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def is_summer(local):
    begins = last_sunday(local.year, 3).replace(hour=2)
    ends = last_sunday(local.year, 10).replace(hour=3)
    return ends <= local < begins


def offset_hours(local):
    """Hours that local time is ahead of UTC."""
    return SUMMER if is_summer(local) else WINTER
