"""The list of who came in when."""

from words import long_date, ordinal


def results(title, day, runners):
    """Runners are (name, seconds), in any order."""
    lines = [f"{title}, {long_date(day)}"]
    ranked = sorted(runners, key=lambda runner: runner[1])
    for place, (name, seconds) in enumerate(ranked, start=1):
        lines.append(f"{ordinal(place)} place: {name} ({seconds // 60}:{seconds % 60:02d})")
    return "\n".join(lines)
