import unittest

from timesheet import minutes_of, shift_minutes, totals


class HiddenTest(unittest.TestCase):
    def test_nights(self):
        self.assertEqual(shift_minutes("23:59", "00:00"), 1)
        self.assertEqual(shift_minutes("18:00", "02:15", 45), 450)
        self.assertEqual(shift_minutes("00:01", "00:00"), 1439)

    def test_days(self):
        self.assertEqual(shift_minutes("00:00", "23:59"), 1439)
        self.assertEqual(shift_minutes("08:00", "08:10", 10), 0)

    def test_pause_is_no_reason_for_a_night(self):
        self.assertEqual(shift_minutes("08:00", "08:10", 15), -5)

    def test_same_time(self):
        self.assertEqual(shift_minutes("08:00", "08:00"), 0)

    def test_bad(self):
        for clock in ("24:00", "12:60", "-1:00"):
            with self.assertRaises(ValueError):
                minutes_of(clock)
        with self.assertRaises(ValueError):
            shift_minutes("22:00", "30:00")

    def test_totals(self):
        self.assertEqual(totals(["d a 22:00-06:00 30", "d a 06:00-07:00"]), {"a": 510})


if __name__ == "__main__":
    unittest.main()
