import unittest
from datetime import datetime

from clock import to_utc
from export import export
from zone import last_sunday


class HiddenTest(unittest.TestCase):
    def test_edges(self):
        for local, want in (
            ((2024, 3, 31, 1, 59), (2024, 3, 31, 0, 59)),
            ((2024, 3, 31, 3, 0), (2024, 3, 31, 1, 0)),
            ((2024, 10, 27, 1, 59), (2024, 10, 26, 23, 59)),
            ((2024, 10, 27, 3, 0), (2024, 10, 27, 2, 0)),
            ((2023, 10, 28, 12, 0), (2023, 10, 28, 10, 0)),
            ((2023, 12, 31, 0, 0), (2023, 12, 30, 23, 0)),
            ((2025, 4, 1, 0, 0), (2025, 3, 31, 22, 0)),
        ):
            self.assertEqual(to_utc(*local), datetime(*want), local)

    def test_sundays(self):
        self.assertEqual(last_sunday(2024, 3), datetime(2024, 3, 31))
        self.assertEqual(last_sunday(2023, 10), datetime(2023, 10, 29))

    def test_order(self):
        got = export([("b", 2024, 7, 1, 12, 0), ("a", 2024, 1, 1, 12, 0)])
        self.assertEqual(got.split("\n"), ["2024-01-01T11:00Z a", "2024-07-01T10:00Z b"])


if __name__ == "__main__":
    unittest.main()
