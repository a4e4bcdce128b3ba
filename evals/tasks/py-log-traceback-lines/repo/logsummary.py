"""Counts what a log holds."""

from collections import Counter

from logparse import parse

ORDER = ["ERROR", "WARNING", "INFO", "DEBUG"]


def summary(lines):
    """How many entries of each level, worst first, as a list of (level, count)."""
    counts = Counter(entry.level for entry in parse(lines))
    return [(level, counts[level]) for level in ORDER if counts[level]]


def noisiest(lines, limit=3):
    """The sources with the most errors."""
    errors = Counter(entry.source for entry in parse(lines) if entry.level == "ERROR")
    return errors.most_common(limit)


def first_errors(lines):
    """The first line of the message of each error."""
    return [e.message.split("\n")[0] for e in parse(lines) if e.level == "ERROR"]
