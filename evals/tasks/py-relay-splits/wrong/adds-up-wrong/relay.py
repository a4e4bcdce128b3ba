"""The results of a relay race."""

from dataclasses import dataclass

from times import format_time, parse_time


@dataclass
class Team:
    name: str
    runners: list
    marks: list  # the clock at the end of each leg


def parse_team(line):
    """Reads a line like "Reds: Ann 58.10, Ben 1:57.30"."""
    name, legs = line.split(":", 1)
    pairs = [leg.split() for leg in legs.split(",")]
    return Team(name.strip(), [runner for runner, _ in pairs], [parse_time(mark) for _, mark in pairs])


def splits(team):
    """What each runner needed for his leg: a list of (runner, time)."""
    legs = []
    before = 0
    for runner, mark in zip(team.runners, team.marks):
        if mark <= before:
            raise ValueError(f"{team.name}: the mark of {runner} is not later than the one before")
        legs.append((runner, mark - before))
        before += mark
    return legs


def fastest_leg(teams):
    """The fastest leg of all teams: (runner, team name, time), or None."""
    legs = [(runner, team.name, time) for team in teams for runner, time in splits(team)]
    return min(legs, key=lambda leg: leg[2], default=None)


def report(team):
    """A line for each leg."""
    return "\n".join(f"{runner:<8}{format_time(time):>8}" for runner, time in splits(team))
