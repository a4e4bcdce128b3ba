import unittest
from datetime import date

from log import read_log
from report import summary
from stats import best_weekday, completion_rate, current_streak


def may(*numbers):
    return [date(2024, 5, number) for number in numbers]


class HabitsTest(unittest.TestCase):
    def test_log(self):
        log = read_log(["# May", "2024-05-01 running", "2024-05-01 reading", "", "2024-05-02 running"])
        self.assertEqual(log, {"running": may(1, 2), "reading": may(1)})
        with self.assertRaisesRegex(ValueError, "line 1: no habit"):
            read_log(["2024-05-01"])

    def test_rate(self):
        self.assertEqual(completion_rate(may(1, 2, 9), date(2024, 5, 1), date(2024, 5, 4)), 0.5)

    def test_current_streak(self):
        self.assertEqual(current_streak(may(1, 3, 4), date(2024, 5, 5)), 2)
        self.assertEqual(current_streak(may(1, 3, 4), date(2024, 5, 6)), 0)

    def test_best_weekday(self):
        self.assertEqual(best_weekday(may(1, 8, 9)), "Wednesday")
        self.assertIsNone(best_weekday([]))

    def test_summary(self):
        text = summary("running", may(1, 2, 3), date(2024, 5, 1), date(2024, 5, 4))
        self.assertEqual(text.split("\n")[:3], ["running", "done: 75 %", "current streak: 3 days"])


if __name__ == "__main__":
    unittest.main()
