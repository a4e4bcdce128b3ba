import unittest
from datetime import date

from countdown import days_until, upcoming


class CountdownTest(unittest.TestCase):
    def test_later_this_year(self):
        self.assertEqual(days_until(date(1985, 7, 1), date(2025, 6, 1)), 30)

    def test_already_been(self):
        self.assertEqual(days_until(date(1990, 2, 10), date(2025, 3, 27)), 320)

    def test_soonest_first(self):
        people = [("Mia", date(1990, 2, 10)), ("Jon", date(1985, 7, 1)), ("Noel", date(1999, 12, 24))]
        names = [name for name, _ in upcoming(people, date(2025, 8, 1))]
        self.assertEqual(names, ["Noel", "Mia", "Jon"])


if __name__ == "__main__":
    unittest.main()
