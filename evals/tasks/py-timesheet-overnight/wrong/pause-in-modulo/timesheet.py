"""Adds up working hours from lines such as `2024-05-02 ann 08:15-16:45 30`."""

from collections import defaultdict


def minutes_of(clock):
    """'08:15' as minutes since midnight."""
    hours, minutes = clock.split(":")
    value = int(hours) * 60 + int(minutes)
    if not 0 <= value < 24 * 60 or int(minutes) > 59:
        raise ValueError(f"not a time: {clock}")
    return value


def shift_minutes(start, end, pause=0):
    """Minutes worked between two times of day, less the pause."""
    return (minutes_of(end) - minutes_of(start) - pause) % (24 * 60)


def parse_line(line):
    """Gives (day, name, minutes)."""
    day, name, times, *rest = line.split()
    start, end = times.split("-")
    return day, name, shift_minutes(start, end, int(rest[0]) if rest else 0)


def totals(lines):
    """Minutes by name."""
    result = defaultdict(int)
    for line in lines:
        line = line.strip()
        if line and not line.startswith("#"):
            _, name, minutes = parse_line(line)
            result[name] += minutes
    return dict(result)


def as_hours(minutes):
    return f"{minutes // 60}:{minutes % 60:02d}"
