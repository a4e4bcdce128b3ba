"""The days on which the rent is due."""

from datetime import date


def months_later(day, months):
    """The same day so many months later, the last of the month where that is too short."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    try:
        return date(year, month, day.day)
    except ValueError:
        return date(year, month, 28)


def due_dates(first, count):
    """The first `count` days on which the rent is due: the first one and then every month."""
    return [months_later(first, months) for months in range(count)]
