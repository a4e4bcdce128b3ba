import unittest

from stock import Item, receive, reorder_list, stock_value, take


class StockTest(unittest.TestCase):
    def test_receive(self):
        item = Item("bolt", 4, 10, 25, ordered=6)
        receive(item, 5)
        self.assertEqual((item.on_hand, item.ordered), (9, 1))

    def test_take_too_much(self):
        with self.assertRaises(ValueError):
            take(Item("bolt", 4, 10, 25), 5)

    def test_value(self):
        self.assertEqual(stock_value([Item("a", 2, 0, 0), Item("b", 3, 0, 0)], {"a": 5}), 10)


class ReorderTest(unittest.TestCase):
    def test_whole_packs(self):
        self.assertEqual(reorder_list([Item("bolt", 4, 10, 25, ordered=2, pack_size=6)]), [("bolt", 24)])

    def test_enough_in_stock(self):
        self.assertEqual(reorder_list([Item("nut", 10, 10, 25)]), [])

    def test_sorted_by_sku(self):
        items = [Item("z", 0, 1, 5), Item("a", 0, 1, 3)]
        self.assertEqual(reorder_list(items), [("a", 3), ("z", 5)])


if __name__ == "__main__":
    unittest.main()
