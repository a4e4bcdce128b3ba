import unittest

from cart import Cart
from discounts import Discount
from reader import read_discounts


class CartTest(unittest.TestCase):
    def test_one_after_the_other(self):
        cart = Cart([Discount("a", 10), Discount("b", 50)])
        cart.add("lamp", 1000)
        self.assertEqual(cart.total(), 450)

    def test_minimum(self):
        cart = Cart(read_discounts('[{"name": "big", "percent": 10, "min_amount": 5000}]'))
        cart.add("lamp", 1000)
        self.assertEqual(cart.total(), 1000)
        cart.add("desk", 4000)
        self.assertEqual(cart.total(), 4500)


if __name__ == "__main__":
    unittest.main()
