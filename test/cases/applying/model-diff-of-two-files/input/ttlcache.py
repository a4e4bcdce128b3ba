"""A small cache whose entries end after a time and of which only so many are kept."""

import time
from collections import OrderedDict


class TTLCache:
    """Keeps at most max_size entries, each for ttl seconds. When full, the least recently used goes."""

    def __init__(self, max_size, ttl, clock=time.monotonic):
        if max_size < 1:
            raise ValueError("max_size must be at least 1")
        self.max_size = max_size
        self.ttl = ttl
        self._clock = clock
        self._entries = OrderedDict()

    def set(self, key, value):
        self._entries[key] = (value, self._clock() + self.ttl)
        self._entries.move_to_end(key)
        while len(self._entries) > self.max_size:
            self._entries.popitem(last=False)

    def get(self, key, default=None):
        entry = self._entries.get(key)
        if entry is None:
            return default
        value, ends_at = entry
        if self._clock() >= ends_at:
            del self._entries[key]
            return default
        return value

    def delete(self, key):
        self._entries.pop(key, None)

    def __len__(self):
        now = self._clock()
        return sum(1 for _, ends_at in self._entries.values() if ends_at > now)

    def __contains__(self, key):
        entry = self._entries.get(key)
        return entry is not None and entry[1] > self._clock()
