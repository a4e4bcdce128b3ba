"""Numbers about the days on which a habit was done."""

from collections import Counter
from datetime import timedelta

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def completion_rate(days, start, end):
    """Share of the days from start to end, both included, on which it was done."""
    total = (end - start).days + 1
    if total < 1:
        raise ValueError("the end is before the start")
    done = {day for day in days if start <= day <= end}
    return len(done) / total


def current_streak(days, today):
    """Days in a row up to today, or up to yesterday when today is still open."""
    done = set(days)
    day = today if today in done else today - timedelta(days=1)
    streak = 0
    while day in done:
        streak += 1
        day -= timedelta(days=1)
    return streak


def longest_streak(days):
    """The largest number of days in a row."""
    longest = streak = 0
    previous = None
    for day in sorted(days):
        streak = streak + 1 if previous and day - previous == timedelta(days=1) else 1
        longest = max(longest, streak)
        previous = day
    return longest


def best_weekday(days):
    """The weekday on which it was done most often; None without any days."""
    counts = Counter(day.weekday() for day in set(days))
    if not counts:
        return None
    best = min(counts, key=lambda weekday: (-counts[weekday], weekday))
    return WEEKDAYS[best]
