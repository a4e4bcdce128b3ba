"""Reads logs with lines such as `2024-05-02 10:31:07 ERROR worker: message`."""

import re
from dataclasses import dataclass

LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) ([A-Z]+) (\w+): (.*)")


@dataclass
class Entry:
    time: str
    level: str
    source: str
    message: str


def parse(lines):
    """The entries of a log."""
    entries = []
    for line in lines:
        line = line.rstrip("\n")
        match = LINE.match(line)
        if match:
            time, level, source, message = match.groups()
            entries.append(Entry(time, "WARNING" if level == "WARN" else level, source, message))
        elif entries:
            entries[-1].message += "\n" + line
    return entries
