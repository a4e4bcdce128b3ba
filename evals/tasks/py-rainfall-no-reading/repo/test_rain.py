import unittest

from gauge import parse
from summary import mean, report, total


class RainTest(unittest.TestCase):
    def test_all_days(self):
        readings = parse("2024-04-01 1.5\n2024-04-02 2.5\n")
        self.assertEqual(total(readings), 4.0)
        self.assertEqual(mean(readings), 2.0)

    def test_day_without_a_reading(self):
        readings = parse("2024-05-01 3.0\n2024-05-02 -\n2024-05-03 0.0\n")
        self.assertEqual(total(readings), 3.0)
        self.assertEqual(mean(readings), 1.5)

    def test_report(self):
        with open("may.txt") as f:
            self.assertEqual(report(parse(f.read())), "days 4\ntotal 10.8 mm\nmean 3.6 mm")


if __name__ == "__main__":
    unittest.main()
