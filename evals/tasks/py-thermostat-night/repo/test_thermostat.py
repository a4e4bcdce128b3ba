import unittest

from heater import switch
from plan import FALLBACK, parse_plan, wanted

PLAN = parse_plan("""
mon 22:00 17
mon 06:30 20.5
tue 07:00 21
fri 09:00 22
sun 23:00 18
sun 08:00 19.5
""")


class ThermostatTest(unittest.TestCase):
    def test_during_the_day(self):
        self.assertEqual(wanted(PLAN, "mon", "06:30"), 20.5)
        self.assertEqual(wanted(PLAN, "mon", "21:59"), 20.5)
        self.assertEqual(wanted(PLAN, "mon", "22:00"), 17)

    def test_before_the_first_entry(self):
        self.assertEqual(wanted(PLAN, "tue", "06:59"), 17)
        self.assertEqual(wanted(PLAN, "tue", "07:00"), 21)

    def test_days_without_entries(self):
        self.assertEqual(wanted(PLAN, "thu", "12:00"), 21)
        self.assertEqual(wanted(PLAN, "fri", "08:00"), 21)
        self.assertEqual(wanted(PLAN, "sun", "00:00"), 22)

    def test_from_week_to_week(self):
        self.assertEqual(wanted(PLAN, "mon", "05:00"), 18)

    def test_empty_plan(self):
        self.assertEqual(wanted(parse_plan(""), "wed", "12:00"), FALLBACK)

    def test_switch(self):
        self.assertTrue(switch(PLAN, "wed", "03:00", 20.0, False))
        self.assertFalse(switch(PLAN, "mon", "23:00", 18.0, True))
        self.assertTrue(switch(PLAN, "mon", "23:00", 17.3, True))


if __name__ == "__main__":
    unittest.main()
