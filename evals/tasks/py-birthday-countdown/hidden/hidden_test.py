import subprocess
import sys
import unittest
from datetime import date

from countdown import birthday_in, days_until, upcoming


class HiddenTest(unittest.TestCase):
    def test_on_the_day(self):
        self.assertEqual(days_until(date(1990, 2, 10), date(2025, 2, 10)), 0)
        self.assertEqual(days_until(date(2000, 1, 1), date(2025, 1, 1)), 0)
        self.assertEqual(days_until(date(2000, 12, 31), date(2025, 12, 31)), 0)

    def test_the_day_after(self):
        self.assertEqual(days_until(date(1990, 2, 10), date(2025, 2, 11)), 364)
        self.assertEqual(days_until(date(1990, 2, 10), date(2024, 2, 11)), 365)
        self.assertEqual(days_until(date(1990, 5, 10), date(2023, 5, 11)), 365)
        self.assertEqual(days_until(date(2000, 1, 1), date(2025, 12, 31)), 1)

    def test_leap_day(self):
        born = date(2000, 2, 29)
        self.assertEqual(days_until(born, date(2025, 2, 28)), 1)
        self.assertEqual(days_until(born, date(2025, 3, 1)), 0)
        self.assertEqual(days_until(born, date(2024, 3, 1)), 365)
        self.assertEqual(days_until(born, date(2023, 3, 2)), 364)
        self.assertEqual(days_until(born, date(2024, 2, 28)), 1)
        self.assertEqual(birthday_in(2025, born), date(2025, 3, 1))

    def test_this_year_as_before(self):
        self.assertEqual(days_until(date(1999, 12, 24), date(2025, 12, 1)), 23)
        self.assertEqual(upcoming([], date(2025, 1, 1)), [])

    def test_program(self):
        command = [sys.executable, "birthdays.py", "friends.txt", "2025-03-27"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.stdout, "Jon: in 96 days\nNoel: in 272 days\nMia: in 320 days\n")


if __name__ == "__main__":
    unittest.main()
