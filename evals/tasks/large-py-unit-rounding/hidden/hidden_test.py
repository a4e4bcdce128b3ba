import unittest

from weather.reports.monthly import monthly
from weather.reports.weekly import weekly
from weather.series import gaps, means


def cell(text):
    return text.split("| ")[1]


class HiddenTest(unittest.TestCase):
    def test_no_readings(self):
        self.assertEqual(cell(weekly("north", "airport", "rain", [None] * 7)), "–")
        self.assertEqual(cell(weekly("north", "airport", "rain", [])), "–")
        self.assertEqual(cell(monthly("south", "lake", "wind", [None, None])), "–")

    def test_dry_days_count(self):
        self.assertEqual(cell(weekly("north", "airport", "rain", [10, 0, 0, 0])), "0.5 mm")
        self.assertEqual(cell(weekly("north", "airport", "rain", [10, None, None, 0])), "1.0 mm")

    def test_other_region(self):
        self.assertEqual(cell(weekly("hills", "field", "rain", [None, 10, 20])), "3.2 mm")

    def test_sums_stay(self):
        self.assertEqual(means.total([1, None, 2]), 3)
        self.assertEqual(means.mean([1, None, 2]), 1.5)
        self.assertIsNone(means.mean([]))
        self.assertEqual(means.trend([1, 1, 3, None]), 2)
        self.assertEqual(gaps.gaps_as([None, 1], 0), [0, 1])
        self.assertEqual(cell(monthly("north", "airport", "rain", [None, None])), "0.0 mm")


if __name__ == "__main__":
    unittest.main()
