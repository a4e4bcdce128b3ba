import unittest
from datetime import date

from fees import as_text, late_fee


class FeeTest(unittest.TestCase):
    def test_three_days(self):
        self.assertEqual(late_fee("book", date(2024, 3, 1), date(2024, 3, 4)), 60)

    def test_cap(self):
        self.assertEqual(late_fee("dvd", date(2024, 1, 1), date(2024, 6, 1)), 800)

    def test_early(self):
        self.assertEqual(late_fee("game", date(2024, 3, 5), date(2024, 3, 1)), 0)

    def test_text(self):
        self.assertEqual(as_text(1205), "12.05")


if __name__ == "__main__":
    unittest.main()
