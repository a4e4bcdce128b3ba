"""The days on which the rent is due."""

from datetime import date


def next_month(day):
    """The same day in the next month."""
    if day.month == 12:
        return date(day.year + 1, 1, day.day)
    return date(day.year, day.month + 1, day.day)


def due_dates(first, count):
    """The first `count` days on which the rent is due: the first one and then every month."""
    dates = []
    day = first
    for _ in range(count):
        dates.append(day)
        day = next_month(day)
    return dates
