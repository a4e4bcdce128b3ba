"""Local time to UTC."""

from datetime import datetime, timedelta

from zone import offset_hours


def to_utc(year, month, day, hour, minute=0):
    local = datetime(year, month, day, hour, minute)
    return local - timedelta(hours=offset_hours(local))
