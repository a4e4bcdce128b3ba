"""Uploads one file, again and again until it works or there are no attempts left."""

import time

from .waits import waits


class GivenUp(Exception):
    """The file could not be uploaded."""


def upload(path, put, sleep=time.sleep):
    """Calls put(path). After the last failed attempt there is no wait."""
    pending = list(waits())
    while True:
        try:
            return put(path)
        except OSError as error:
            if not pending:
                raise GivenUp(path) from error
            sleep(pending.pop(0))
