import unittest

from inventory import Inventory, OutOfStock, UnknownItem
from orders import Order


class InventoryTest(unittest.TestCase):
    def setUp(self):
        self.inventory = Inventory()
        self.inventory.receive("A-1", 10)
        self.inventory.receive("B-2", 1)

    def test_reserve(self):
        self.assertEqual(self.inventory.reserve("A-1", 4), 6)
        self.assertEqual(self.inventory.free("A-1"), 6)

    def test_too_many(self):
        with self.assertRaises(OutOfStock):
            self.inventory.reserve("A-1", 11)

    def test_unknown(self):
        with self.assertRaises(UnknownItem):
            self.inventory.reserve("Z-9", 1)

    def test_quantity_must_be_at_least_one(self):
        with self.assertRaisesRegex(ValueError, "quantity must be at least 1"):
            self.inventory.reserve("A-1", -3)

    def test_order_is_all_or_nothing(self):
        self.assertFalse(Order(1, {"A-1": 2, "B-2": 2}).place(self.inventory))
        self.assertEqual(self.inventory.free("A-1"), 10)

    def test_ship(self):
        order = Order(2, {"A-1": 2})
        order.place(self.inventory)
        order.ship(self.inventory)
        self.assertEqual(self.inventory.items(), [("A-1", 8, 0), ("B-2", 1, 0)])


if __name__ == "__main__":
    unittest.main()
