import unittest
from datetime import date

from results import results
from words import long_date, ordinal


class OrdinalTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual([ordinal(n) for n in (1, 2, 3, 4)], ["1st", "2nd", "3rd", "4th"])

    def test_eleven(self):
        self.assertEqual(ordinal(11), "11th")
        self.assertEqual(ordinal(12), "12th")

    def test_twenty_first(self):
        self.assertEqual(long_date(date(2024, 5, 21)), "21st of May 2024")


class ResultsTest(unittest.TestCase):
    def test_list(self):
        text = results("Town run", date(2024, 6, 2), [("Bo", 125), ("Ann", 119)])
        self.assertEqual(text, "Town run, 2nd of June 2024\n1st place: Ann (1:59)\n2nd place: Bo (2:05)")


if __name__ == "__main__":
    unittest.main()
