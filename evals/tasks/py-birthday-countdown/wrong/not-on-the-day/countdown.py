"""When it is somebody's birthday next."""

from datetime import date


def birthday_in(year, born):
    """The birthday in a year; who was born on 29 February has it on 1 March in a year without that day."""
    try:
        return date(year, born.month, born.day)
    except ValueError:
        return date(year, 3, 1)


def days_until(born, today):
    """The number of days until the next birthday, 0 on the day itself."""
    birthday = birthday_in(today.year, born)
    if birthday <= today:
        birthday = birthday_in(today.year + 1, born)
    return (birthday - today).days


def upcoming(people, today):
    """The people, each (name, born), as (name, days), whose birthday is soonest first."""
    return sorted(((name, days_until(born, today)) for name, born in people), key=lambda item: item[1])
