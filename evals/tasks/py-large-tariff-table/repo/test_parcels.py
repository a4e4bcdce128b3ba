import unittest

from parcels import shipment_price
from tariffs import NoTariff, price_of


class ParcelTest(unittest.TestCase):
    def test_within_a_step(self):
        self.assertEqual(price_of(1, 100), 325)
        self.assertEqual(price_of(7, 4999), 1125)

    def test_at_the_limit(self):
        self.assertEqual(price_of(7, 5000), 1125)

    def test_too_heavy(self):
        with self.assertRaises(NoTariff):
            price_of(7, 31501)

    def test_shipment(self):
        self.assertEqual(shipment_price(1, [100] * 5), 325 * 4 + 292)


if __name__ == "__main__":
    unittest.main()
