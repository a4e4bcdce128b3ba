"""Figures of a list of readings, each (day, millimetres)."""


def total(readings):
    """All the rain in millimetres."""
    result = 0.0
    for _, mm in readings:
        if mm is not None:
            result += mm
    return result


def mean(readings):
    """The millimetres a day."""
    if not readings:
        return 0.0
    return total(readings) / len([mm for _, mm in readings if mm is not None])


def days(readings):
    """The number of days in the file."""
    return len(readings)


def report(readings):
    return "\n".join([
        f"days {days(readings)}",
        f"total {total(readings):.1f} mm",
        f"mean {mean(readings):.1f} mm",
    ])
