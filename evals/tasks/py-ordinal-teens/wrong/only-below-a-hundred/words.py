"""Numbers and dates as words."""

MONTHS = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]


def ordinal(n):
    """1st, 2nd, 3rd, 4th and so on, for whole numbers from 0."""
    if n in (11, 12, 13):
        return f"{n}th"
    last = n % 10
    if last == 1:
        return f"{n}st"
    if last == 2:
        return f"{n}nd"
    if last == 3:
        return f"{n}rd"
    return f"{n}th"


def long_date(day):
    """A date such as '3rd of May 2024'."""
    return f"{ordinal(day.day)} of {MONTHS[day.month - 1]} {day.year}"
