"""Times are whole hundredths of a second."""

import re


def parse_time(text):
    """The hundredths of "1:02.50" or "58.07"."""
    match = re.fullmatch(r"(?:(\d+):)?(\d{1,2})\.(\d{2})", text)
    if not match:
        raise ValueError(f"not a time: {text}")
    minutes, seconds, hundredths = (int(part or 0) for part in match.groups())
    return (minutes * 60 + seconds) * 100 + hundredths


def format_time(time):
    """"1:02.50" for 6250."""
    minutes, rest = divmod(time, 6000)
    if minutes:
        return f"{minutes}:{rest // 100:02}.{rest % 100:02}"
    return f"{rest // 100}.{rest % 100:02}"
