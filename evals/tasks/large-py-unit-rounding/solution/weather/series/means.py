"""Averages and sums."""

from weather.series.gaps import gaps_as, without_gaps


def total(values):
    """The sum; what is missing counts nothing."""
    return sum(gaps_as(values, 0))


def mean(values):
    """The average of what is there, None when nothing is."""
    there = without_gaps(values)
    return sum(there) / len(there) if there else None


def daily_mean(values):
    """The sum by day with a reading, None when there are none."""
    return mean(values)


def trend(values):
    """How much later values are above earlier ones: mean of the second half less mean of the first."""
    half = len(values) // 2
    first, second = mean(values[:half]), mean(values[half:])
    return None if first is None or second is None else second - first
