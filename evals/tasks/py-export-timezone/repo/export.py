"""Writes events as lines for other calendars."""

from clock import to_utc


def export(events):
    """Events are (title, year, month, day, hour, minute) in local time."""
    lines = []
    for title, *when in events:
        lines.append(f"{to_utc(*when).strftime('%Y-%m-%dT%H:%MZ')} {title}")
    return "\n".join(sorted(lines))
