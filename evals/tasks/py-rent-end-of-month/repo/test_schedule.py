import unittest
from datetime import date

from schedule import due_dates


class ScheduleTest(unittest.TestCase):
    def test_every_month(self):
        self.assertEqual(
            due_dates(date(2024, 11, 15), 3),
            [date(2024, 11, 15), date(2024, 12, 15), date(2025, 1, 15)],
        )

    def test_short_month(self):
        self.assertEqual(due_dates(date(2025, 1, 31), 2), [date(2025, 1, 31), date(2025, 2, 28)])

    def test_one(self):
        self.assertEqual(due_dates(date(2025, 3, 1), 1), [date(2025, 3, 1)])


if __name__ == "__main__":
    unittest.main()
