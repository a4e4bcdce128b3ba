import unittest

from lookup import CustomerLookup
from ttlcache import TTLCache


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class TTLCacheTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.cache = TTLCache(2, 10, clock=self.clock)

    def test_keeps_values(self):
        self.cache.set("a", 1)
        self.assertEqual(self.cache.get("a"), 1)
        self.assertIsNone(self.cache.get("b"))

    def test_entry_ends(self):
        self.cache.set("a", 1)
        self.clock.now = 10
        self.assertIsNone(self.cache.get("a"))

    def test_reading_counts_as_use(self):
        self.cache.set("a", 1)
        self.cache.set("b", 2)
        self.cache.get("a")
        self.cache.set("c", 3)
        self.assertEqual(self.cache.get("a"), 1)
        self.assertIsNone(self.cache.get("b"))

    def test_lookup_fetches_once(self):
        lookup = CustomerLookup(lambda n: f"customer {n}", clock=self.clock)
        self.assertEqual(lookup.name_of(7), "customer 7")
        lookup.name_of(7)
        self.assertEqual(lookup.misses, 1)


if __name__ == "__main__":
    unittest.main()
