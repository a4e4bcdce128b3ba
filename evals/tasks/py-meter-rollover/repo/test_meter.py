import unittest

from bill import bill, daily_average
from meter import Meter, parse_readings, usage

READINGS = "2024-01-01 00100\n2024-03-01 00160\n2024-02-01 00131\n"


class MeterTest(unittest.TestCase):
    def setUp(self):
        self.meter = Meter("A17")

    def test_usage(self):
        self.assertEqual(usage(self.meter, parse_readings(self.meter, READINGS)), [(31, 31), (29, 29)])

    def test_begins_again_at_zero(self):
        readings = parse_readings(self.meter, "2024-01-01 99950\n2024-01-31 00030\n")
        self.assertEqual(usage(self.meter, readings), [(30, 80)])
        self.assertEqual(bill(self.meter, readings, 250), 20000)

    def test_begins_again_with_four_digits(self):
        meter = Meter("B2", digits=4)
        readings = parse_readings(meter, "2024-01-01 9990\n2024-01-11 0010\n2024-01-21 0015\n")
        self.assertEqual(usage(meter, readings), [(10, 20), (10, 5)])

    def test_too_many_digits(self):
        with self.assertRaises(ValueError):
            parse_readings(self.meter, "2024-01-01 123456")

    def test_bill(self):
        readings = parse_readings(self.meter, READINGS)
        self.assertEqual(bill(self.meter, readings, 200, base_fee=500), 13000)
        self.assertEqual(daily_average(self.meter, readings), 1.0)
        self.assertIsNone(daily_average(self.meter, readings[:1]))


if __name__ == "__main__":
    unittest.main()
