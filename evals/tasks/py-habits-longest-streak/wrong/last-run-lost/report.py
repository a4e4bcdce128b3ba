"""Texts for people."""

from stats import best_weekday, completion_rate, current_streak, longest_streak


def summary(habit, days, start, today):
    """Some lines about one habit since the start."""
    rate = completion_rate(days, start, today)
    streak = current_streak(days, today)
    lines = [
        habit,
        f"done: {round(rate * 100)} %",
        f"current streak: {streak} {'day' if streak == 1 else 'days'}",
    ]
    weekday = best_weekday(days)
    if weekday:
        lines.append(f"best weekday: {weekday}")
    longest = longest_streak(days)
    lines.append(f"longest streak: {longest} {'day' if longest == 1 else 'days'}")
    return "\n".join(lines)


def overview(habits, start, today):
    """The summaries of all habits, by name."""
    return "\n\n".join(summary(habit, habits[habit], start, today) for habit in sorted(habits))
