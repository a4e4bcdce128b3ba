"""Limits how many requests a client may make in a sliding window."""

from collections import deque


class RateLimiter:
    """Allows at most `limit` requests of one client in any `window` seconds."""

    def __init__(self, limit, window):
        self.limit = limit
        self.window = window
        self._seen = {}

    def allow(self, client, now):
        """True when the request may pass. `now` is in seconds and never goes back."""
        times = self._seen.setdefault(client, deque())
        while times and now - times[0] >= self.window:
            times.popleft()
        if len(times) >= self.limit:
            return False
        times.append(now)
        return True

    def remaining(self, client, now):
        """How many requests the client may still make at this moment."""
        times = self._seen.get(client, ())
        recent = [t for t in times if now - t < self.window]
        return max(0, self.limit - len(recent))

    def forget(self, client):
        self._seen.pop(client, None)
