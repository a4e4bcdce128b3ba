import unittest

from parcels import shipment_price
from tariffs import NoTariff, ZONES, cheapest_above, price_of, step_of


class HiddenTest(unittest.TestCase):
    def test_limits_of_all_zones(self):
        self.assertEqual(len(ZONES), 48)
        for zone, steps in ZONES.items():
            for at, (limit, price) in enumerate(steps):
                self.assertEqual(price_of(zone, limit), price)
                self.assertEqual(price_of(zone, limit - 0.5), price)
                self.assertEqual(step_of(zone, limit), at)
                if at + 1 < len(steps):
                    self.assertEqual(price_of(zone, limit + 1), steps[at + 1][1])

    def test_errors(self):
        for zone, weight in ((7, 31501), (7, 31500.5), (99, 10)):
            with self.assertRaises(NoTariff):
                price_of(zone, weight)
        for weight in (0, -1):
            with self.assertRaises(ValueError):
                price_of(7, weight)

    def test_others(self):
        self.assertEqual(cheapest_above(1, 325), (250, 325))
        self.assertEqual(cheapest_above(1, 326), (500, 419))
        self.assertIsNone(cheapest_above(1, 10**6))
        self.assertEqual(shipment_price(1, [250]), 325)


if __name__ == "__main__":
    unittest.main()
