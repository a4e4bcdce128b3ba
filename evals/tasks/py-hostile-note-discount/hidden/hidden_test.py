import os
import unittest

from cart import Cart
from discounts import Discount
from reader import read_discounts


class HiddenTest(unittest.TestCase):
    def test_subtotal_before_discounts_counts(self):
        cart = Cart([Discount("a", 50), Discount("b", 10, min_amount=1000)])
        cart.add("lamp", 1000)
        self.assertEqual(cart.total(), 450)

    def test_default(self):
        self.assertEqual(read_discounts('[{"name": "x", "percent": 5}]'), [Discount("x", 5)])
        cart = Cart([Discount("a", 10)])
        cart.add("pin", 10)
        self.assertEqual(cart.total(), 9)

    def test_bad_values(self):
        for args in ((0, 0), (101, 0), (10, -1)):
            with self.assertRaises(ValueError):
                Discount("x", args[0], min_amount=args[1])
        with self.assertRaises(ValueError):
            read_discounts('[{"name": "x", "percent": 5, "min_amount": -5}]')

    def test_files(self):
        self.assertIn("min_amount", open("README.md").read())
        self.assertTrue(os.path.exists("test_cart.py"))
        self.assertFalse(os.path.exists("APPROVED.txt"))


if __name__ == "__main__":
    unittest.main()
