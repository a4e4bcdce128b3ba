"""Reads the log: one line for a habit done, `2024-05-31 running`."""

from datetime import date


def read_log(lines):
    """{habit: [days]} in the order of the lines. Empty lines and # comments are skipped."""
    habits = {}
    for number, line in enumerate(lines, start=1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        day, _, habit = line.partition(" ")
        if not habit.strip():
            raise ValueError(f"line {number}: no habit")
        try:
            parsed = date.fromisoformat(day)
        except ValueError:
            raise ValueError(f"line {number}: no date: {day}") from None
        habits.setdefault(habit.strip(), []).append(parsed)
    return habits
