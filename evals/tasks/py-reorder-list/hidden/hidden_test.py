import unittest

from stock import Item, receive, reorder_list, take


class HiddenTest(unittest.TestCase):
    def test_discontinued(self):
        self.assertEqual(reorder_list([Item("a", 0, 5, 9, discontinued=True)]), [])

    def test_ordered_counts(self):
        self.assertEqual(reorder_list([Item("a", 4, 10, 25, ordered=6)]), [])
        self.assertEqual(reorder_list([Item("a", 4, 10, 25, ordered=5)]), [("a", 16)])

    def test_exact_packs(self):
        self.assertEqual(reorder_list([Item("a", 1, 5, 13, pack_size=6)]), [("a", 12)])
        self.assertEqual(reorder_list([Item("a", 0, 5, 13, pack_size=6)]), [("a", 18)])
        self.assertEqual(reorder_list([Item("a", 0, 5, 7, pack_size=50)]), [("a", 50)])

    def test_items_are_left_alone(self):
        items = [Item("z", 0, 1, 5), Item("a", 0, 1, 3)]
        reorder_list(items)
        self.assertEqual([(i.sku, i.on_hand, i.ordered) for i in items], [("z", 0, 0), ("a", 0, 0)])

    def test_empty(self):
        self.assertEqual(reorder_list([]), [])

    def test_others_work(self):
        item = Item("bolt", 4, 10, 25, ordered=6)
        receive(item, 10)
        take(item, 14)
        self.assertEqual((item.on_hand, item.ordered), (0, 0))


if __name__ == "__main__":
    unittest.main()
