"""How long to wait between attempts."""

from . import settings


def longest_wait():
    return settings.LOCAL.get("longest_wait", settings.LONGEST_WAIT)


def waits():
    """Seconds to wait after each failed attempt that is followed by another."""
    wait = settings.FIRST_WAIT
    for _ in range(settings.MAX_ATTEMPTS - 1):
        yield min(wait, longest_wait())
        wait *= settings.FACTOR
