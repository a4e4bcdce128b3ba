"""Prints the rota for the fridge door."""

from rota import assign


def render(people, chores, weeks, away=None):
    """A line for each week, with the chores in their order. `away` has the names by week."""
    away = away or {}
    lines = []
    for week in weeks:
        assigned = assign(people, chores, week, away.get(week, ()))
        parts = [f"{chore}: {assigned[chore] or '-'}" for chore in chores]
        lines.append(f"week {week} - " + ", ".join(parts))
    return "\n".join(lines)
