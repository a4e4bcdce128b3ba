import unittest
from decimal import Decimal

from phone import phone_price
from shop import shop_price
from web import web_price


class PriceTest(unittest.TestCase):
    def test_prices(self):
        self.assertEqual(web_price(Decimal("10"), "DE"), Decimal("11.90"))
        self.assertEqual(phone_price(Decimal("10"), "AT"), Decimal("13.80"))
        self.assertEqual(shop_price(Decimal("10")), Decimal("11.90"))

    def test_module(self):
        from money import round_cents, with_tax

        self.assertEqual(round_cents(Decimal("1.005")), Decimal("1.01"))
        self.assertEqual(round_cents(with_tax(Decimal("10"), "CH")), Decimal("10.81"))


if __name__ == "__main__":
    unittest.main()
