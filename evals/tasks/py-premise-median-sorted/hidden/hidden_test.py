import unittest

from latency import report
from stats import median, ordered, percentile


class HiddenTest(unittest.TestCase):
    def test_median(self):
        for samples, want in (([9, 1, 5], 5), ([7], 7), ([10, 2, 8, 4], 6), ([-1, -3], -2), ((3, 1, 2), 2)):
            self.assertEqual(median(samples), want)

    def test_input_stays(self):
        samples = [3, 1, 2]
        median(samples), percentile(samples, 0.9), report(samples)
        self.assertEqual(samples, [3, 1, 2])

    def test_empty(self):
        for call in (lambda: median([]), lambda: percentile([], 0.5)):
            with self.assertRaises(ValueError):
                call()

    def test_others(self):
        self.assertEqual(ordered((2, 1)), [1, 2])
        self.assertEqual([percentile(list(range(1, 101)), s) for s in (0, 0.5, 0.95, 1)], [1, 50, 95, 100])


if __name__ == "__main__":
    unittest.main()
