import unittest

from heater import switch
from plan import DAYS, FALLBACK, parse_plan, wanted


class HiddenTest(unittest.TestCase):
    def test_one_day_with_entries(self):
        for day in DAYS:
            plan = parse_plan(f"{day} 20:00 17\n{day} 08:00 21\n")
            for other in DAYS:
                self.assertEqual(wanted(plan, other, "07:59"), 17, (day, other))
            self.assertEqual(wanted(plan, day, "08:00"), 21)
            self.assertEqual(wanted(plan, day, "19:59"), 21)
            self.assertEqual(wanted(plan, day, "23:59"), 17)

    def test_nearest_day(self):
        plan = parse_plan("tue 10:00 20\nsat 10:00 22\nsat 12:00 23\n")
        mornings = {day: wanted(plan, day, "09:00") for day in DAYS}
        self.assertEqual(mornings, {"mon": 23, "tue": 23, "wed": 20, "thu": 20, "fri": 20, "sat": 20, "sun": 23})
        self.assertEqual(wanted(plan, "sat", "11:00"), 22)

    def test_zero_degrees_is_an_entry(self):
        plan = parse_plan("mon 10:00 21\ntue 10:00 0\n")
        self.assertEqual(wanted(plan, "wed", "08:00"), 0)
        self.assertEqual(wanted(plan, "tue", "12:00"), 0)

    def test_midnight(self):
        plan = parse_plan("wed 00:00 15\nthu 23:59 25\n")
        self.assertEqual(wanted(plan, "wed", "00:00"), 15)
        self.assertEqual(wanted(plan, "fri", "00:00"), 25)

    def test_empty(self):
        for day in DAYS:
            self.assertEqual(wanted(parse_plan("\n"), day, "12:00"), FALLBACK)
        self.assertTrue(switch(parse_plan(""), "sun", "12:00", 15, False))

    def test_plan_is_not_changed(self):
        plan = parse_plan("tue 10:00 20")
        wanted(plan, "mon", "12:00")
        self.assertEqual(plan, parse_plan("tue 10:00 20"))


if __name__ == "__main__":
    unittest.main()
