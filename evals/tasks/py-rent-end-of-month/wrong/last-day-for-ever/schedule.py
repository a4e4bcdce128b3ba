"""The days on which the rent is due."""

from calendar import monthrange
from datetime import date


def months_later(day, months):
    """The same day so many months later, the last of the month where that is too short."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    last = monthrange(year, month)[1]
    if day.day == monthrange(day.year, day.month)[1]:
        return date(year, month, last)
    return date(year, month, min(day.day, last))


def due_dates(first, count):
    """The first `count` days on which the rent is due: the first one and then every month."""
    return [months_later(first, months) for months in range(count)]
