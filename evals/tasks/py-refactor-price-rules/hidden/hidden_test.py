import pathlib
import unittest
from decimal import ROUND_HALF_UP, Decimal

from money import round_cents, with_tax
from phone import phone_price
from shop import shop_price
from web import web_price

RATES = {"DE": Decimal("0.19"), "AT": Decimal("0.20"), "CH": Decimal("0.081"), "US": Decimal(0)}


def cents(value):
    return value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


class HiddenTest(unittest.TestCase):
    def test_prices_stay(self):
        for n in range(0, 3000, 7):
            amount = Decimal(n) / 100
            for country, rate in RATES.items():
                self.assertEqual(str(web_price(amount, country)), str(cents(amount * (1 + rate))))
                self.assertEqual(str(phone_price(amount, country)), str(cents((amount + Decimal("1.50")) * (1 + rate))))
                self.assertEqual(round_cents(with_tax(amount, country)), cents(amount * (1 + rate)))
            gross = cents(amount * Decimal("1.19"))
            self.assertEqual(str(shop_price(amount)), str(cents((gross / Decimal("0.05")).quantize(Decimal(1), rounding=ROUND_HALF_UP) * Decimal("0.05"))))

    def test_rounding(self):
        self.assertEqual(str(round_cents(Decimal("-1.005"))), "-1.01")
        self.assertEqual(str(round_cents(Decimal("2"))), "2.00")

    def test_no_copies(self):
        for name in ("web.py", "phone.py", "shop.py"):
            text = pathlib.Path(name).read_text()
            self.assertIn("money", text)
            self.assertNotRegex(text, r"0\.19|TAX\s*=|def _?round")


if __name__ == "__main__":
    unittest.main()
