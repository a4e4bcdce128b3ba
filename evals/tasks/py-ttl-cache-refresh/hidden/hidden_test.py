import unittest

from ttlcache import TTLCache


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class HiddenTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()

    def test_order_of_use(self):
        c = TTLCache(3, 100, clock=self.clock)
        for k in "abc":
            c.set(k, k)
        c.get("a")
        c.get("b")
        c.set("d", "d")
        self.assertEqual([k for k in "abcd" if k in c], ["a", "b", "d"])
        c.get("a")
        c.set("e", "e")
        self.assertEqual([k for k in "abcde" if k in c], ["a", "d", "e"])

    def test_reading_does_not_lengthen_life(self):
        c = TTLCache(2, 10, clock=self.clock)
        c.set("a", 1)
        self.clock.now = 6
        self.assertEqual(c.get("a"), 1)
        self.clock.now = 10
        self.assertIsNone(c.get("a"))

    def test_unread_oldest_goes(self):
        c = TTLCache(2, 10, clock=self.clock)
        c.set("a", 1)
        c.set("b", 2)
        c.set("c", 3)
        self.assertNotIn("a", c)
        self.assertEqual(len(c), 2)

    def test_missing_and_default(self):
        c = TTLCache(2, 10, clock=self.clock)
        self.assertEqual(c.get("x", 5), 5)
        self.assertEqual(len(c), 0)
        c.set("n", None)
        self.assertIn("n", c)
        c.get("n")
        self.clock.now = 11
        self.assertEqual(c.get("n", 9), 9)


if __name__ == "__main__":
    unittest.main()
