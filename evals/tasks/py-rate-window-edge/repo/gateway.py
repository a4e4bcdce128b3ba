"""Answers requests, or says that there are too many."""

from limiter import RateLimiter


class Gateway:
    def __init__(self, limiter=None):
        self.limiter = limiter or RateLimiter(3, 60)
        self.log = []

    def handle(self, client, path, now):
        """Gives (status, text)."""
        if not self.limiter.allow(client, now):
            self.log.append((now, client, 429))
            return 429, "too many requests"
        self.log.append((now, client, 200))
        return 200, f"hello from {path}"

    def refused(self):
        return [entry for entry in self.log if entry[2] == 429]
