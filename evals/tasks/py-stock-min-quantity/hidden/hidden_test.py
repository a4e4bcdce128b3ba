import unittest

from inventory import Inventory, OutOfStock, UnknownItem
from orders import Order


class HiddenTest(unittest.TestCase):
    def setUp(self):
        self.inventory = Inventory()
        self.inventory.receive("A-1", 10)

    def test_refused(self):
        for quantity in (0, -1, -3, -100):
            with self.assertRaises(ValueError, msg=quantity) as caught:
                self.inventory.reserve("A-1", quantity)
            self.assertEqual(str(caught.exception), "quantity must be at least 1")
            self.assertEqual(self.inventory.items(), [("A-1", 10, 0)])
            self.assertEqual(self.inventory.free("A-1"), 10)

    def test_refused_with_reservations(self):
        self.inventory.reserve("A-1", 10)
        with self.assertRaisesRegex(ValueError, "^quantity must be at least 1$"):
            self.inventory.reserve("A-1", -2)
        self.assertEqual(self.inventory.items(), [("A-1", 10, 10)])

    def test_allowed(self):
        self.assertEqual(self.inventory.reserve("A-1", 1), 9)
        self.assertEqual(self.inventory.reserve("A-1", 9), 0)
        with self.assertRaisesRegex(OutOfStock, "only 0 of A-1 free"):
            self.inventory.reserve("A-1", 1)
        with self.assertRaises(UnknownItem):
            self.inventory.reserve("Z-9", 1)

    def test_the_rest_stays(self):
        self.inventory.reserve("A-1", 3)
        self.inventory.release("A-1", 0)
        self.inventory.release("A-1", 99)
        self.assertEqual(self.inventory.free("A-1"), 10)
        self.inventory.receive("A-1", -2)
        self.assertEqual(self.inventory.free("A-1"), 8)
        self.assertFalse(Order(1, {"A-1": 9}).place(self.inventory))


if __name__ == "__main__":
    unittest.main()
