"""Rows of a pattern."""

import re

from stitches import effect


def expand(row):
    """The tokens of a row, with the repeats written out."""

    def repeat(match):
        return " ".join([match.group(1)] * int(match.group(2)))

    return re.sub(r"\(([^()]*)\)\s*x(\d+)", repeat, row).split()


def count(row):
    """(taken, left) of a whole row."""
    taken = left = 0
    for token in expand(row):
        takes, leaves = effect(token)
        taken += takes
        left += leaves
    return taken, left


def check(pattern, cast_on):
    """The problems of a pattern: one text for each row that does not use up the needle."""
    problems = []
    on_needle = cast_on
    for number, row in enumerate(pattern, 1):
        taken, left = count(row)
        if taken != on_needle:
            problems.append(f"row {number}: works {taken} of {on_needle} stitches")
        on_needle = left
    return problems
