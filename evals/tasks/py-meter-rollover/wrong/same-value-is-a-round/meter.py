"""Water meters and their readings."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Meter:
    """A counter with a number of digits. After the highest value it begins again at 0."""

    number: str
    digits: int = 5


@dataclass(frozen=True)
class Reading:
    day: date
    value: int


def parse_readings(meter, text):
    """Reads lines such as "2024-03-01 04711", in any order; gives them by day."""
    readings = []
    for line in text.splitlines():
        if not line.strip():
            continue
        day, value = line.split()
        if len(value) > meter.digits:
            raise ValueError(f"meter {meter.number} has {meter.digits} digits: {value}")
        readings.append(Reading(date.fromisoformat(day), int(value)))
    return sorted(readings, key=lambda reading: reading.day)


def usage(meter, readings):
    """What was used between each reading and the next: pairs of (days, cubic metres)."""
    result = []
    for before, after in zip(readings, readings[1:]):
        days = (after.day - before.day).days
        used = after.value - before.value
        if used <= 0:
            used += 10**meter.digits
        result.append((days, used))
    return result
