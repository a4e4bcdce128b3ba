import unittest
from datetime import date

from bill import bill, daily_average
from meter import Meter, Reading, parse_readings, usage


class HiddenTest(unittest.TestCase):
    def test_rounds(self):
        for digits, before, after, used in [(5, 99999, 0, 1), (5, 90000, 5, 10005), (6, 999990, 90, 100), (3, 500, 499, 999), (4, 9000, 0, 1000)]:
            meter = Meter("X", digits)
            readings = [Reading(date(2024, 5, 1), before), Reading(date(2024, 5, 11), after)]
            self.assertEqual(usage(meter, readings), [(10, used)], (digits, before, after))

    def test_nothing_used(self):
        meter = Meter("X")
        readings = [Reading(date(2024, 5, 1), 700), Reading(date(2024, 5, 11), 700), Reading(date(2024, 5, 12), 0)]
        self.assertEqual(usage(meter, readings), [(10, 0), (1, 99300)])
        self.assertEqual(usage(meter, readings[:1]), [])

    def test_several_periods(self):
        meter = Meter("X", digits=4)
        readings = parse_readings(meter, "2024-05-21 0025\n2024-05-01 9980\n2024-05-11 0005\n\n")
        self.assertEqual(usage(meter, readings), [(10, 25), (10, 20)])
        self.assertEqual(bill(meter, readings, 100, base_fee=50), 4600)
        self.assertEqual(daily_average(meter, readings), 2.25)

    def test_as_before(self):
        meter = Meter("X")
        readings = parse_readings(meter, "2024-01-01 00010\n2024-01-05 99999\n")
        self.assertEqual(usage(meter, readings), [(4, 99989)])
        with self.assertRaises(ValueError):
            parse_readings(Meter("X", 4), "2024-01-01 00010")


if __name__ == "__main__":
    unittest.main()
