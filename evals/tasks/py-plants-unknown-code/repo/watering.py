"""When plants need water."""

from datetime import timedelta


def next_watering(plants, code, last):
    """The day on which a plant needs water again. last is the day on which it was watered."""
    plant = plants.get(code.strip().upper())
    if plant is None:
        raise LookupError(f"unknown plant: {code}")
    return last + timedelta(days=plant.days)


def thirsty(plants, last, today):
    """The codes of the plants that need water today, in order. last has the day of the last watering by code."""
    return sorted(code for code in last if next_watering(plants, code, last[code]) <= today)
