"""Writes events as lines for other calendars."""

from clock import to_utc


def export(events):
    """Events are (title, year, month, day, hour, minute) in local time."""
    lines = []
    for title, *when in events:
        utc = to_utc(*when)
        if 4 <= when[1] <= 9:
            utc = utc.replace(hour=(utc.hour - 1) % 24)
        lines.append(f"{utc.strftime('%Y-%m-%dT%H:%MZ')} {title}")
    return "\n".join(sorted(lines))
