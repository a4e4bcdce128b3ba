"""Looks up customers by number and remembers the answers for a while."""

from ttlcache import TTLCache


class CustomerLookup:
    def __init__(self, fetch, max_size=100, ttl=60, **options):
        self._fetch = fetch
        self._cache = TTLCache(max_size, ttl, **options)
        self.misses = 0

    def name_of(self, number):
        name = self._cache.get(number)
        if name is None:
            self.misses += 1
            name = self._fetch(number)
            self._cache.set(number, name)
        return name
