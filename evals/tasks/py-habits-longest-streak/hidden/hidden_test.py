import unittest
from datetime import date

import stats
from report import overview, summary


def may(*numbers):
    return [date(2024, 5, number) for number in numbers]


class HiddenTest(unittest.TestCase):
    def test_longest(self):
        for days, expected in [
            ([], 0),
            (may(7), 1),
            (may(7, 7), 1),
            (may(1, 3, 5), 1),
            (may(1, 2, 3), 3),
            (may(3, 1, 2), 3),
            (may(1, 2, 2, 3, 3, 3), 3),
            (may(1, 2, 5, 6, 7, 8, 20), 4),
            (may(10, 11, 1, 2, 3), 3),
            (may(20, 5, 8, 6, 7, 6, 30, 31), 4),
            ([date(2023, 12, 31), date(2024, 1, 1), date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)], 3),
        ]:
            self.assertEqual(stats.longest_streak(days), expected, days)

    def test_leaves_its_argument(self):
        days = may(3, 1, 1)
        stats.longest_streak(days)
        self.assertEqual(days, may(3, 1, 1))

    def test_summary(self):
        self.assertEqual(
            summary("running", may(9, 1, 2, 3, 4, 9), date(2024, 5, 1), date(2024, 5, 10)),
            "running\ndone: 50 %\ncurrent streak: 1 day\nbest weekday: Thursday\nlongest streak: 4 days",
        )
        self.assertTrue(summary("x", may(4, 2), date(2024, 5, 1), date(2024, 5, 10)).endswith("\nlongest streak: 1 day"))

    def test_summary_without_days(self):
        self.assertEqual(
            summary("x", [], date(2024, 5, 1), date(2024, 5, 10)),
            "x\ndone: 0 %\ncurrent streak: 0 days\nlongest streak: 0 days",
        )

    def test_overview(self):
        text = overview({"b": may(1), "a": may(1, 2)}, date(2024, 5, 1), date(2024, 5, 2))
        parts = text.split("\n\n")
        self.assertEqual([part.split("\n")[0] for part in parts], ["a", "b"])
        self.assertEqual([part.split("\n")[-1] for part in parts], ["longest streak: 2 days", "longest streak: 1 day"])


if __name__ == "__main__":
    unittest.main()
