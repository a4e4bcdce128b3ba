import subprocess
import sys
import unittest
from datetime import date

from schedule import due_dates


def texts(first, count):
    return [str(day) for day in due_dates(date.fromisoformat(first), count)]


class HiddenTest(unittest.TestCase):
    def test_31st_again(self):
        self.assertEqual(
            texts("2025-01-31", 6),
            ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30"],
        )

    def test_leap_year(self):
        self.assertEqual(texts("2024-01-31", 3), ["2024-01-31", "2024-02-29", "2024-03-31"])
        self.assertEqual(texts("2024-01-29", 3), ["2024-01-29", "2024-02-29", "2024-03-29"])
        self.assertEqual(texts("2025-01-29", 3), ["2025-01-29", "2025-02-28", "2025-03-29"])

    def test_end_of_year(self):
        self.assertEqual(
            texts("2024-11-30", 5),
            ["2024-11-30", "2024-12-30", "2025-01-30", "2025-02-28", "2025-03-30"],
        )
        self.assertEqual(texts("2024-12-31", 2), ["2024-12-31", "2025-01-31"])

    def test_as_before(self):
        self.assertEqual(texts("2025-02-28", 3), ["2025-02-28", "2025-03-28", "2025-04-28"])
        self.assertEqual(texts("2025-04-30", 2), ["2025-04-30", "2025-05-30"])
        self.assertEqual(texts("2025-01-01", 0), [])
        self.assertEqual(texts("2023-06-15", 20)[-1], "2025-01-15")

    def test_program(self):
        done = subprocess.run([sys.executable, "rent.py", "2025-03-31", "3", "750"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "2025-03-31 750.00\n2025-04-30 750.00\n2025-05-31 750.00\n")


if __name__ == "__main__":
    unittest.main()
