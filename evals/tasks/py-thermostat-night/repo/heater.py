"""Switches the heater."""

from plan import wanted

TOLERANCE = 0.5


def switch(plan, day, time, measured, is_on):
    """Whether the heater should be on. Within the tolerance it stays as it is."""
    target = wanted(plan, day, time)
    if measured < target - TOLERANCE:
        return True
    if measured > target + TOLERANCE:
        return False
    return is_on
