"""Figures about samples."""


def ordered(samples):
    """A sorted copy."""
    return sorted(samples)


def percentile(samples, share):
    """The smallest sample that at least `share` (0 to 1) of all do not exceed."""
    if not samples:
        raise ValueError("no samples")
    values = ordered(samples)
    at = max(0, -(-int(share * 1000) * len(values) // 1000) - 1)
    return values[min(at, len(values) - 1)]


def median(samples):
    """The middle sample; the mean of the two in the middle when their number is even."""
    if not samples:
        raise ValueError("no samples")
    values = ordered(samples)
    middle = len(values) // 2
    return values[middle]
