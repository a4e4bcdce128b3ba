import unittest

from timesheet import as_hours, minutes_of, shift_minutes, totals


class TimesheetTest(unittest.TestCase):
    def test_day_shift(self):
        self.assertEqual(shift_minutes("08:15", "16:45", 30), 480)

    def test_night_shift(self):
        self.assertEqual(shift_minutes("22:00", "06:30"), 510)

    def test_totals(self):
        lines = ["# May", "2024-05-02 ann 08:00-12:00", "", "2024-05-02 bob 20:00-01:00 15"]
        self.assertEqual(totals(lines), {"ann": 240, "bob": 285})

    def test_bad_time(self):
        with self.assertRaises(ValueError):
            minutes_of("24:00")

    def test_hours(self):
        self.assertEqual(as_hours(485), "8:05")


if __name__ == "__main__":
    unittest.main()
