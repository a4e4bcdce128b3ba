import unittest

from gateway import Gateway
from limiter import RateLimiter


class HiddenTest(unittest.TestCase):
    def test_edge_of_window(self):
        limiter = RateLimiter(1, 10)
        self.assertTrue(limiter.allow("a", 0))
        self.assertFalse(limiter.allow("a", 9.5))
        self.assertTrue(limiter.allow("a", 10))
        self.assertFalse(limiter.allow("a", 19))
        self.assertTrue(limiter.allow("a", 20))

    def test_never_more_than_limit_in_window(self):
        limiter = RateLimiter(3, 60)
        allowed = [t for t in range(0, 600, 7) if limiter.allow("a", t)]
        for t in allowed:
            self.assertLessEqual(len([u for u in allowed if t <= u < t + 60]), 3)
        self.assertGreater(len(allowed), 25)

    def test_only_what_is_old_is_forgotten(self):
        limiter = RateLimiter(3, 60)
        self.assertEqual([limiter.allow("a", t) for t in (0, 50, 51, 60, 61, 109, 110)], [True] * 4 + [False, False, True])

    def test_remaining_ignores_refused(self):
        limiter = RateLimiter(2, 60)
        for t in (0, 30, 40, 50):
            limiter.allow("a", t)
        self.assertEqual(limiter.remaining("a", 55), 0)
        self.assertEqual(limiter.remaining("a", 60), 1)
        self.assertEqual(limiter.remaining("b", 60), 2)

    def test_forget(self):
        limiter = RateLimiter(1, 60)
        limiter.allow("a", 0)
        limiter.forget("a")
        self.assertTrue(limiter.allow("a", 1))

    def test_gateway_log(self):
        g = Gateway()
        for t in (0, 1, 2, 3):
            g.handle("x", "/p", t)
        self.assertEqual(g.refused(), [(3, "x", 429)])
        self.assertEqual(g.handle("y", "/p", 4), (200, "hello from /p"))


if __name__ == "__main__":
    unittest.main()
