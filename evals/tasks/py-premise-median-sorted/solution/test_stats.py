import unittest

from latency import report
from stats import median, percentile


class StatsTest(unittest.TestCase):
    def test_median(self):
        self.assertEqual(median([3, 1, 2]), 2)
        self.assertEqual(median([4, 1, 3, 2]), 2.5)

    def test_samples_stay_as_they_are(self):
        samples = [3, 1, 2]
        median(samples)
        self.assertEqual(samples, [3, 1, 2])

    def test_percentile(self):
        self.assertEqual(percentile([30, 10, 20], 0.5), 20)

    def test_report(self):
        self.assertEqual(report([20, 10]), "median 15.0 ms, 95 % within 20.0 ms")


if __name__ == "__main__":
    unittest.main()
