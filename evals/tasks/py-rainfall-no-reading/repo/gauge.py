"""Reads the files of the rain gauge."""


def parse(text):
    """The readings as (day, millimetres); the millimetres are None on a day without a reading."""
    readings = []
    for line in text.splitlines():
        if not line.strip():
            continue
        day, value = line.split()
        readings.append((day, None if value == "-" else float(value)))
    return readings
